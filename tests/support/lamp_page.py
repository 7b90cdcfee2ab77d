"""A page with text, markup that is not shown, and a field."""

PAGE = """<!DOCTYPE html><html><head><title>Lamps</title><style>a{color:red}</style><script>let secret = 1</script></head>
<body class="x"><!-- a note --><h1>All   the
lamps</h1><svg><path d="M0 0"></path></svg> after<textarea>two
  lines</textarea><a href="/b" id="go">Go</a></body></html>"""
