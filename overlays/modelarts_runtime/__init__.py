"""What the generated clients stand on: connection, errors, models, pages of lists, times.

`modelarts_api` imports these modules and gives users the names of `client`, `errors` and `types` under its own name.
Nothing here knows an operation or a document; it reads the facts in `modelarts_openapi.error_codes`, `.phases` and
`.secrets`.
"""
