"""The options of `modelarts emulator` by what they are about, as its help shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

__all__ = ["OptionGroups"]

OTHERS = "Other options"

GROUPS: Mapping[str, Sequence[str]] = {
    "Where it listens": ("port", "obs_port", "host", "allowed_hosts"),
    "What it keeps": ("data_dir", "database_url", "objects", "objects_endpoint", "seeds", "forget", "temporary"),
    "Whom it knows": ("credentials", "region"),
    "How jobs run": (
        "executor",
        "paths",
        "engines",
        "install_requirements",
        "metrics_period",
        "catalogue",
        "capacity",
        "max_running_jobs",
        "keep_jobs",
    ),
    "What the service allows": ("max_jobs", "max_visualization_jobs", "offset_unit"),
    "What it reports": ("verbose", "quiet", "access_log", "record_calls", "check_responses"),
}


class OptionGroups(click.Group):
    """Shows the options in groups, each option in the order in which it was declared."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups and then, as click does, the commands."""
        titles = {name: title for title, names in GROUPS.items() for name in names}
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in (*GROUPS, OTHERS)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                sections[titles.get(str(parameter.name), OTHERS)].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records, col_max=min(30, formatter.width // 2))
        self.format_commands(ctx, formatter)
