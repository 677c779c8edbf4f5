"""Names for intents that a person can read aloud: amber-fox-71."""

_COLOURS = """
    amber ashen azure black blond blue brass brick bright bronze brown calm clear cloudy cobalt copper coral
    crimson dark dawn deep dusky early ebony fair fawn frosty gilded golden grand green grey hazel honey icy
    indigo ivory jade khaki late lemon light lilac lime linen lunar maple maroon mellow merry misty mossy navy
    noble oaken ochre olive onyx opal pale pearl plain plum polar proud purple quick quiet rapid red rosy
    royal ruby rustic sandy scarlet shady sharp sienna silent silver sky slate smoky snowy solar stark steady
    stony sunny swift tawny teal tidal topaz umber velvet verdant violet vivid warm white wild windy wise
""".split()  # noqa: SIM905

_ANIMALS = """
    adder ant ape asp auk badger bass bat bear beaver bee beetle bison boar buck bull camel carp cat civet
    cobra cod colt condor coot crab crane cricket crow deer dingo doe dog dove duck eagle eel egret elk emu
    ermine falcon ferret finch fox frog gazelle gecko gibbon goat goose grouse gull hare hawk hen heron hippo
    horse hound ibex ibis iguana impala jackal jaguar jay kestrel kite kiwi koala lamb lark lemur lion lizard
    llama loon lynx magpie mallard marten mink mole moose moth mouse mule newt ocelot orca oriole osprey otter
    owl ox panda
""".split()  # noqa: SIM905


def name_intent(random: bytes, tries: int = 0) -> str:
    """A name out of eight random bytes; its number grows longer with every try that met a name already taken."""
    number = int.from_bytes(random, "big")
    number, colour = divmod(number, len(_COLOURS))
    number, animal = divmod(number, len(_ANIMALS))
    width = 10 ** (tries + 1)
    return f"{_COLOURS[colour]}-{_ANIMALS[animal]}-{width + number % (9 * width)}"
