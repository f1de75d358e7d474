"""`modelarts contract clean`: delete what runs with --write left that were killed.

Exit status: 0 nothing is left, 2 wrong settings, 3 the service was not reached, 4 something is still left.
"""

from __future__ import annotations

import click

__all__ = ["clean"]


@click.command()
@click.option("--service", metavar="URL", required=True, help="The service that the runs tried.")
@click.option("--profile", metavar="NAME", help="Profile of the settings (modelarts config).")
@click.option("--cloud", metavar="NAME", help="Cloud of OpenStack's clouds.yaml instead.")
@click.option("--rate", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True, help="Requests/s.")
def clean(service: str, profile: str | None, cloud: str | None, rate: float) -> None:
    """Delete what killed runs left behind.

    Journals on this machine list what runs with --write created at a service.

    \b
    Example:
      modelarts contract clean --service https://modelarts.eu-de.otc.t-systems.com
    """
    from modelarts_contract.commands.options import as_exit_status
    from modelarts_contract.run import real
    from modelarts_contract.run.reports import counted

    with as_exit_status():
        config = real.reached(real.settings(real.Access(service, profile, cloud, rate, write=True)))
        runs = real.clean_abandoned(config, rate)
    click.echo(f"Cleaned up after {counted(runs, 'run')}." if runs else "Nothing was left.")
