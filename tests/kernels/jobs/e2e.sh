# Runs in a guest: end-to-end tests of this tree, by name. The file `settings` next to it sets TREE, BUILD and TESTS.
. ./settings
export INGERO_TESTS_SLOW=10 PYTHONDONTWRITEBYTECODE=1
python3 $TREE/tests/e2e/run.py --build $BUILD --sanitized $TESTS
