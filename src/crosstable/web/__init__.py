"""The site and the API, door two: pages, the JSON twin of each, and ``/api/v1``, on an office's database.

``app.create_app`` makes it; ``routes`` holds who may call what; ``replies`` turns one view into page and JSON;
``reading`` keeps the public form of the record at hand. Nobody imports a door.
"""
