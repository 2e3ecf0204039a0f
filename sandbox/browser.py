"""Opens the sandbox's page in the user's browser, without waiting for the browser."""

import asyncio
import os
import threading
import webbrowser
from collections.abc import Callable


def open_page(address: str, on_failure: Callable[[], None]) -> None:
    """Open the address; `on_failure` is called in the event loop if no browser opens."""
    loop = asyncio.get_running_loop()

    def run() -> None:
        if not _open(address) and not loop.is_closed():
            loop.call_soon_threadsafe(on_failure)

    # A daemon thread: some browsers block the call until they are closed, and Ctrl-C must not wait for that.
    threading.Thread(target=run, daemon=True).start()


def _open(address: str) -> bool:
    try:
        browser = webbrowser.get()
        # A browser in the terminal would hide our output; only open one that the user asked for in BROWSER.
        in_terminal = type(browser) is webbrowser.GenericBrowser and "BROWSER" not in os.environ
        return not in_terminal and browser.open(address)
    except webbrowser.Error:
        return False
