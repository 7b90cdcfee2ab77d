"""A small server for pages that a test writes."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class SmallSite:
    """Serves the pages in `pages` by path; counts open requests as the proxy does."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.requests: list[str] = []
        self.gate = threading.Event()
        self.gate.set()
        self.requests_open = 0
        self.requests_started = 0
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.requests_open, site.requests_started = site.requests_open + 1, site.requests_started + 1
                site.requests.append(self.path)
                if self.path.startswith("/slow"):
                    site.gate.wait(10)
                body = site.pages.get(self.path.partition("?")[0], "").encode()
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                if self.path.startswith("/attached"):
                    self.send_header("Content-Disposition", "attachment")
                self.end_headers()
                self.wfile.write(body)
                site.requests_open -= 1

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def busy(self) -> int:
        return self.requests_open

    def started(self) -> int:
        return self.requests_started

    def open_gate_after(self, seconds: float) -> None:
        threading.Timer(seconds, self.gate.set).start()

    def close(self) -> None:
        self.gate.set()
        self._server.shutdown()
        self._server.server_close()
