"""`modelarts obs`: files in object storage."""

import tempfile
from pathlib import Path

import click

from modelarts_toolkit.cli.files import Input
from modelarts_toolkit.cli.groups import Group
from modelarts_toolkit.cli.options import with_options
from modelarts_toolkit.cli.terminal import Terminal, upload_bar, with_terminal
from modelarts_toolkit.texts import counted, size_text, when

PREFIX = "obs://"


@click.group(cls=Group)
def obs() -> None:
    """Files in object storage."""


@obs.command()
@click.argument("url", default=PREFIX)
@with_terminal
def ls(terminal: Terminal, url: str) -> None:
    """List the objects below a URL, with subfolders; without a URL, the buckets."""
    if url == PREFIX:
        buckets = terminal.connect().obs.list_buckets()
        shown = [{"created": when(each.created_at), "url": each.url} for each in buckets]
        named = [{"name": each.name, "url": each.url, "created_at": each.created_at.isoformat()} for each in buckets]
        terminal.show_rows(shown, named, "No buckets found: modelarts obs mb NAME creates one.")
        return
    found = terminal.connect().obs.list(url)
    rows = [{"size": size_text(each.size), "modified": when(each.last_modified), "url": each.url} for each in found]
    documents = [
        {"url": each.url, "size": each.size, "last_modified": each.last_modified.isoformat()} for each in found
    ]
    terminal.show_rows(rows, documents, f"Nothing found at {url}.")


@obs.command()
@click.argument("source")
@click.argument("target")
@with_terminal
def cp(terminal: Terminal, source: str, target: str) -> None:
    """Copy files or folders to or from object storage.

    A URL that ends in / is a folder. Files with unchanged content are not sent again.
    """
    if source.startswith(PREFIX) == target.startswith(PREFIX):
        raise click.UsageError("one of SOURCE and TARGET is obs://bucket/..., the other one is local")
    if target.startswith(PREFIX):
        upload(terminal, source, target, is_sync=False)
    else:
        fetch(terminal, source, target)


@obs.command()
@click.argument("folder", type=Input(exists=True, file_okay=False))
@click.argument("url")
@with_terminal
def sync(terminal: Terminal, folder: Path, url: str) -> None:
    """Mirror a folder in object storage.

    Sends changed files, and removes objects that the folder does not have. Files that .modelartsignore
    in the folder names are neither sent nor removed.
    """
    upload(terminal, str(folder), url, is_sync=True)


@obs.command()
@click.argument("url")
@with_options("deletion")
@with_terminal
def rm(terminal: Terminal, url: str, yes: bool) -> None:
    """Delete an object, or everything below a URL that ends in /."""
    ma = terminal.connect()
    if url.endswith("/") and not yes:
        click.confirm(f"Delete {counted(len(ma.obs.list(url)), 'object')} below {url}?", abort=True, err=True)
    count = ma.obs.delete(url)
    terminal.show_fields({"Deleted": count}, {"deleted": count})


@obs.command()
@click.argument("bucket")
@with_terminal
def mb(terminal: Terminal, bucket: str) -> None:
    """Create a bucket."""
    is_new = terminal.connect().obs.create_bucket(bucket)
    terminal.note(f"Created bucket {bucket}." if is_new else f"Bucket {bucket} already exists.")


def upload(terminal: Terminal, source: str, url: str, *, is_sync: bool) -> None:
    """Send a file or folder, and print what was sent."""
    from modelarts_toolkit.storage.local_files import left_out_text

    if not Path(source).exists():
        raise click.ClickException(f"{source}: No such file or directory: correct the path")
    with upload_bar(terminal, source) as on_progress:
        done = terminal.connect().obs.upload(source, url, sync=is_sync, on_progress=on_progress)
    if done.left_out:
        terminal.note(f"Left out of {source}: {left_out_text(done.left_out)}")
    fields = {"files": done.files, "bytes": done.bytes, "unchanged": done.unchanged, "removed": done.removed}
    terminal.show_fields({name.capitalize(): value for name, value in fields.items()}, fields)


def fetch(terminal: Terminal, url: str, target: str) -> None:
    """Download an object to a file or into a folder, or everything below a URL into a folder."""
    storage, path = terminal.connect().obs, Path(target)
    if url.endswith("/") or target.endswith("/") or path.is_dir() or [each.url for each in storage.list(url)] != [url]:
        done = storage.download(url, path)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".modelarts-") as folder:
            done = storage.download(url, folder)
            next(Path(folder).iterdir()).replace(path)
    terminal.show_fields({"Files": done.files, "Bytes": done.bytes}, {"files": done.files, "bytes": done.bytes})
