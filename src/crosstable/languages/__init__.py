"""Other languages of the pages: English is what the program says, and the key under which a catalogue has the rest.

``texts`` says a finished English text in another language; ``templates`` turns a template into one of that language
before it is compiled. The record, the files, the API and the command line stay English.
"""
