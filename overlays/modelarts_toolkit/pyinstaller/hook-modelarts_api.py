from PyInstaller.utils.hooks import collect_submodules

hiddenimports = collect_submodules("modelarts_api")
