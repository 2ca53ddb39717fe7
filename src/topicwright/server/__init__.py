"""The HTTP server of ``topicwright serve``: what a model says of documents, for other programs.

    gate.py       who may ask: it stands before this application, or any other of ASGI
    access.py     hosts, origins, the token
    door.py       how much may be asked, and how many at a time
    refusals.py   limits, and what is beyond them
    asgi.py       how these talk with the server and the application
    schemas.py    what is asked and answered, as OpenAPI tells it
    documents.py  documents of a request in the words of the model
    service.py    what is asked of the model, checked and done
    work.py       threads, and turns between large requests and small ones
    app.py        the paths
    page.py       the same as a page for people
    running.py    the socket, and the end

FastAPI and uvicorn come with ``pip install 'topicwright[serve]'``.
"""
