"""The page of `modelarts ui`: jobs, logs, curves and storage in a browser, through the typed client alone.

`app.create_app` makes an ASGI application of a client. Pages are plain HTML; scripts only add what lives.
"""
