"""Where the emulator listens: addresses and sockets."""

from __future__ import annotations

import ipaddress
import socket

from modelarts_emulator.http.errors import EmulatorError

__all__ = ["check_address", "is_loopback", "listen"]

BACKLOG = 1024  # connections that wait to be accepted


def check_address(host: str) -> None:
    """Raise EmulatorError unless the host is an IP address."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        raise EmulatorError(
            f"the host to listen on must be an IP address, not {host!r}: use 0.0.0.0 for all addresses of this machine"
        ) from None


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine can connect to the address."""
    return ipaddress.ip_address(host).is_loopback


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 is any free one. Raises EmulatorError if host and port cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        # Without the protocol's number asyncio does not switch off Nagle's algorithm, which costs 40 ms per response.
        opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise EmulatorError(f"{host} cannot be used ({error.strerror}): choose another address with --host") from error
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(BACKLOG)
    except OSError as error:
        opened.close()
        raise EmulatorError(
            f"port {port} cannot be used on {host} ({error.strerror}): choose other ports with --port and --obs-port,"
            " end the program that listens there, or choose another address with --host"
        ) from error
    return opened
