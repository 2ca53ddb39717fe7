from hypothesis import settings

settings.register_profile("corpus", deadline=None)  # a busy machine is no bug
settings.load_profile("corpus")
