from PyInstaller.utils.hooks import collect_data_files, collect_submodules, copy_metadata

hiddenimports = collect_submodules("modelarts_toolkit") + collect_submodules("modelarts_api")
datas = copy_metadata("modelarts-toolkit")
for package in ("modelarts_openapi", "modelarts_documents", "modelarts_toolkit"):
    datas += collect_data_files(package)
