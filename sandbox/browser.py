"""The user's browser, opened without waiting for it."""

import asyncio
import os
import threading
import webbrowser
from collections.abc import Callable


def open_page(address: str, on_failure: Callable[[], None]) -> None:
    """Open the address; `on_failure` is called in the loop if there is nothing to open it with."""
    loop = asyncio.get_running_loop()

    def work() -> None:
        if not _opened(address) and not loop.is_closed():
            loop.call_soon_threadsafe(on_failure)

    # A daemon, because some browsers keep the call waiting until they are closed, and Ctrl-C must not wait with it.
    threading.Thread(target=work, daemon=True).start()


def _opened(address: str) -> bool:
    try:
        browser = webbrowser.get()
        # One that draws in the terminal would take it away from who reads there; who names it wants it.
        in_terminal = type(browser) is webbrowser.GenericBrowser and "BROWSER" not in os.environ
        return not in_terminal and browser.open(address)
    except webbrowser.Error:
        return False
