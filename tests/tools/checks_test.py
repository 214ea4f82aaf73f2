"""The house's checks find a planted violation of each of their rules, and pass the same tree without it."""
import hashlib
import os
import subprocess
import sys
import tempfile
import unittest

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")


class PlantedTree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.plant("hal/good.h", '// A header.\n#pragma once\n#include "base/result.h"\n#include "bpf/wire.h"\n')
        self.plant("cli/main.cc", '// Everything.\n#include "store/read/reader.h"\n')
        self.plant("cli/parser.cc", "// The owner of a system header.\n#include <CLI/CLI.hpp>\n")

    def plant(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def check(self, which):
        done = subprocess.run([sys.executable, "-B", os.path.join(TOOLS, "check_" + which), self.folder.name],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def assert_clean(self, which):
        status, output = self.check(which)
        self.assertEqual(status, 0, output)

    def assert_found(self, which, expected):
        status, output = self.check(which)
        self.assertEqual(status, 1, output)
        self.assertIn(expected, output)
        self.assertIn("1 problem(s)", output)


class Bpf(PlantedTree):
    PROGRAM = ('SEC("uprobe%s")\nint on_it(struct pt_regs *ctx)\n{\n\tstruct task *task = current();\n\n%s'
               '\tdo_it(ctx, task);\n\treturn 0;\n}\n')
    STAYS = "\tstay_on_thread_stack();\n"

    def plant_program(self, kind="", begin=STAYS, more=""):
        self.plant("bpf/it.bpf.c", self.PROGRAM % (kind, begin) + more)

    def test_allows_a_program_that_stays_on_its_threads_stack(self):
        self.plant_program()
        self.assert_clean("bpf")

    def test_refuses_one_that_may_be_given_a_stack_of_the_cpu(self):
        self.plant_program(begin="")
        self.assert_found("bpf", "program on_it does not begin with stay_on_thread_stack() (P3)")

    def test_refuses_it_of_one_that_sleeps_too(self):
        self.plant_program(kind=".s", begin="\tdo_that(ctx);\n" + self.STAYS)
        self.assert_found("bpf", "(P3)")

    def test_refuses_memory_of_the_cpu(self):
        self.plant_program(more="struct {\n\t__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);\n} scratch SEC(\".maps\");\n")
        self.assert_found("bpf", "map scratch is memory of the CPU, which two threads share when one is preempted: "
                                 "use task storage (P1)")

    def test_refuses_a_counter_that_is_not_atomic(self):
        self.plant_program(more="static void count(struct sums *sums)\n{\n\tsums->count[0] += 1;\n}\n")
        self.assert_found("bpf", "sums is changed in place: use an atomic operation, or add it to OWN in "
                                 "tools/check_bpf with the reason (P2)")

    def test_refuses_it_behind_a_pointer(self):
        self.plant_program(more="static void count(__u64 *n)\n{\n\t*n += 1;\n}\n")
        self.assert_found("bpf", "n is changed in place")

    def test_allows_what_is_the_threads_own_and_what_is_atomic(self):
        self.plant_program(more="static void count(struct t *thread, __u64 *n)\n{\n\tthread->depth += 1;\n"
                                "\t__sync_fetch_and_add(n, 1);\n}\n")
        self.assert_clean("bpf")


class Citations(PlantedTree):
    def test_allows_what_is_in_the_tree_or_said_to_be_elsewhere(self):
        self.plant("docs/page.md", "# A page\n")
        self.plant("hal/more.h", "// See docs/page.md, page.md, hal/good.h, good.h; Linux kernel/events/uprobes.c, <bpf/bpf.h>,\n"
                                 "/* NAME.cc, https://example.org/x.md */\nconst char* text = \"gone.cc\";\n")
        self.assert_clean("citations")

    def test_refuses_a_document_that_is_not_there(self):
        self.plant("hal/more.h", "// One.\n// As gone.md 2.1 has it.\n")
        self.assert_found("citations", "hal/more.h:2: names gone.md, which is not in the tree")

    def test_refuses_a_source_file_that_is_not_there(self):
        self.plant("hal/more.cc", "/* One,\n * which gone.cc does. */\n")
        self.assert_found("citations", "hal/more.cc:2: names gone.cc")

    def test_refuses_a_file_that_is_in_another_folder(self):
        self.plant("hal/more.cc", "// See cli/good.h.\n")
        self.assert_found("citations", "names cli/good.h")

    def test_looks_at_scripts_too(self):
        self.plant("tools/it.py", "# As gone.py does.\n")
        self.assert_found("citations", "tools/it.py:1: names gone.py")


class Layers(PlantedTree):
    def test_allows_downward_includes(self):
        self.assert_clean("layers")

    def test_refuses_an_include_upward(self):
        self.plant("hal/bad.h", '// Bad.\n#include "store/read/reader.h"\n')
        self.assert_found("layers", "hal/bad.h:2: hal may not include")

    def test_refuses_an_include_sideways(self):
        self.plant("correlate/bad.cc", '// Bad.\n#  include "store/read/reader.h"\n')
        self.assert_found("layers", "correlate may not include")

    def test_refuses_one_backend_in_another_but_not_the_shared_headers(self):
        self.plant("backends/one/fine.cc", '// Fine.\n#include "backends/registry.h"\n#include "backends/one/rows.h"\n')
        self.assert_clean("layers")
        self.plant("backends/one/bad.cc", '// Bad.\n#include "backends/two/rows.h"\n')
        self.assert_found("layers", "backend one includes backend two")

    def test_allows_only_the_named_header_of_a_room(self):
        self.plant("kernelside/bad.cc", '// Bad.\n#include "bpf/maps.bpf.h"\n')
        self.assert_found("layers", 'kernelside may not include "bpf/maps.bpf.h"')

    def test_refuses_a_system_header_that_belongs_to_another_room(self):
        self.plant("symbols/bad.cc", "// Bad.\n#include <bpf/libbpf.h>\n")
        self.assert_found("layers", "<bpf/libbpf.h> belongs to")

    def test_refuses_a_system_header_that_belongs_to_another_file_of_the_room(self):
        self.plant("cli/main.cc", "// Bad.\n#include <CLI/App.hpp>\n")
        self.assert_found("layers", "cli/main.cc:2: <CLI/App.hpp> belongs to cli/parser.cc, not to cli")

    def test_refuses_a_way_around_the_room_names(self):
        self.plant("hal/bad.h", '// Bad.\n#include "../store/reader.h"\n')
        self.assert_found("layers", "climbs out")

    def test_refuses_an_include_that_names_no_room(self):
        self.plant("hal/bad.h", '// Bad.\n#include "good.h"\n')
        self.assert_found("layers", "does not name its room")

    def test_refuses_a_folder_that_is_no_room(self):
        self.plant("attic/old.cc", "// Old.\n")
        self.assert_found("layers", "attic is not a room")

    def test_does_not_pass_an_empty_tree(self):
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run([sys.executable, "-B", os.path.join(TOOLS, "check_layers"), empty],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)


class Hiding(PlantedTree):
    FILE = "// It.\nnamespace ingero::agent {\nnamespace {\n\n%s\n\n}  // namespace\n}  // namespace ingero::agent\n"

    def setUp(self):
        super().setUp()
        self.plant("base/json.h", "// JSON.\nusing Json = Ordered;\nstd::string dump(const Json& json);\n")

    def test_allows_names_that_base_has_not(self):
        self.plant("agent/it.cc", self.FILE % "using Line = Json;\nint it() { return dump(1); }")
        self.assert_clean("hiding")

    def test_refuses_another_type_of_that_name(self):
        self.plant("agent/it.cc", self.FILE % "using Json = Sorted;")
        self.assert_found("hiding", "agent/it.cc:5: Json hides that of base/json.h")

    def test_refuses_another_function_of_that_name(self):
        self.plant("agent/it.cc", self.FILE % "int dump(int value) { return value; }")
        self.assert_found("hiding", "agent/it.cc:5: dump hides that of base/json.h")


class Threads(PlantedTree):
    PAGE = "# Reading the code\n\n## Threads\n\n| thread | created in |\n|---|---|\n| it | `agent/it.cc` |\n"

    def setUp(self):
        super().setUp()
        self.plant("docs/reading_the_code.md", self.PAGE)

    def test_allows_threads_of_files_that_the_page_names(self):
        self.plant("agent/it.cc", "// It.\nvoid it() { std::thread one([] {}); one.join(); }\n")
        self.plant("agent/it.h", "// It.\nstd::thread thread_;\n")
        self.plant("agent/id.cc", "// Not a std::thread: a number.\nstd::thread::id id;\n")
        self.assert_clean("threads")

    def test_refuses_another_one(self):
        for line in ("std::thread one([] {});", "const std::jthread one([] {});", "auto one = std::async(it);"):
            self.plant("agent/other.cc", f"// Other.\nvoid it() {{ {line} }}\n")
            self.assert_found("threads", "agent/other.cc:2: a thread is started here")


class Losses(PlantedTree):
    def setUp(self):
        super().setUp()
        self.plant("hal/loss.h", '// Losses.\n#define INGERO_LOSSES(X) \\\n  X(ring_full, "bpf", kLoss, "Full.") \\\n'
                                 '  X(name_lost, "agent", kLoss, "Lost.")\n')
        self.plant("bpf/it.bpf.c", "/* It. */\nvoid it(void) { count_loss(WIRE_LOSS_RING_FULL); }\n")
        self.plant("agent/it.cc", "// It.\nvoid it() { ledger.add(hal::Loss::name_lost); }\n")

    def test_allows_losses_that_are_counted_in_their_room(self):
        self.assert_clean("losses")

    def test_refuses_one_that_another_room_counts(self):
        os.remove(os.path.join(self.folder.name, "agent/it.cc"))
        self.plant("store/it.cc", "// It.\nvoid it() { ledger.add(hal::Loss::name_lost); }\n")
        self.assert_found("losses", "hal/loss.h: name_lost is counted in store, not in agent")

    def test_does_not_take_reading_for_counting(self):
        self.plant("agent/it.cc", "// It.\nuint64_t it() { return ledger.count(hal::Loss::name_lost); }\n")
        self.assert_found("losses", "hal/loss.h: nothing counts name_lost")


class Borders(PlantedTree):
    ALL = "// A header. Owns its rows. Failure: none. One thread.\n"

    def setUp(self):
        super().setUp()
        self.plant("tools/layers.txt", "room base:\nroom hal: base\nroom agent: base hal\n")
        self.plant("agent/it.cc", '// It.\n#include "hal/row.h"\n#include "agent/own.h"\n')
        self.plant("agent/own.h", "// A header of one room, which says nothing.\n")
        self.plant("hal/row.h", self.ALL)

    def test_allows_a_header_that_says_all_three_and_one_that_no_other_room_includes(self):
        self.assert_clean("borders")
        for data in ("Plain data.", "Constant data.", "Pure. Failure: none."):
            self.plant("hal/row.h", f"// A row. {data}\n")
            self.assert_clean("borders")

    def test_refuses_each_that_is_missing(self):
        for words, missing in (("Owns its rows.", "who owns what"), ("Failure: none.", "how failure shows"),
                               ("One thread.", "on which threads")):
            with self.subTest(missing=missing):
                self.plant("hal/row.h", self.ALL.replace(words, "") + 'const char* text = "own, failure, thread";\n')
                self.assert_found("borders", f"hal/row.h: other rooms include it, and it does not say {missing}")


class Names(PlantedTree):
    def test_allows_the_glossarys_words(self):
        self.plant("agent/good.cc", "// The batch that the store thread takes.\nvoid emit(EventBatch& batch);\n"
                                    "constexpr unsigned kMaxRows = 1'000, kFirst = 2'000;\n")
        self.plant("docs/page.md", "# A page\n\nThe column `culprit_pid` says who ran.\n")
        self.assert_clean("names")

    def test_refuses_a_retired_part_of_an_identifier(self):
        for word in ("told_hangs", "kTold", "Parcel", "StoreGuest", "kMostRows", "culprit_comm", "run_keeper", "is_judged",
                     "culprits_", "is_troubled", "judging", "earlier_agent", "is_outside"):
            with self.subTest(word=word):
                self.plant("agent/bad.cc", f"// Bad.\nint {word} = 0;\n")
                self.assert_found("names", f'agent/bad.cc:2: "{word}" is retired')

    def test_looks_behind_digit_separators(self):
        self.plant("agent/bad.cc", "// Bad.\nconstexpr int kFirst = 1'000'000, kMostNs = 6'000;\n")
        self.assert_found("names", '"kMostNs" is retired')

    def test_refuses_a_retired_phrase_in_a_comment_a_message_and_a_page(self):
        for name, text in (("agent/bad.cc", "// Whoever asks.\n"), ("cli/bad.cc", '// Bad.\nauto text = "is no file";\n'),
                           ("docs/bad.md", "# Bad\n\nAnswered at every door.\n"), ("CHANGELOG.md", "# Bad\n\n- It is told.\n"),
                           ("agent/bad.cc", "// At most kMostRows.\n"), ("cli/bad.cc", "// One in so many calls.\n"),
                           ("tools/bad.py", '"""Bad."""\nprint("nobody")\n'), ("tools/bad", "#!/bin/sh\n# Whoever asks.\n"),
                           ("bench/bad.sh", "# Bad: beside it.\n"), ("hal/CMakeLists.txt", "# Nobody links it.\n"),
                           ("tests/page/bad.mjs", "// Nobody clicks.\n"), ("serve/page/source/bad.js", 'say("Verdict");\n'),
                           ("serve/page/source/bad.html", "<p>Beside it.</p>\n"), ("tests/bad.cc", "// What is told.\n"),
                           ("tests/bad.py", '"""Whoever asks."""\n')):
            with self.subTest(name=name):
                self.plant(name, text)
                self.assert_found("names", name)
                os.remove(os.path.join(self.folder.name, name))

    def test_refuses_each_retired_word_in_text(self):
        for word, text in (("guest", "A guest sees the batch."), ("guests", "Runs the guests."), ("loan", "The loan ends."),
                           ("lends", "It lends a reader."), ("lent", "What was lent."), ("told", "When told."),
                           ("tells", "It tells of it."), ("Telling", "Telling of a chain."),
                           ("meet", "Processes that we meet."),
                           ("met", "A process is met."), ("aside", "Read aside."), ("judged", "Steps are judged."),
                           ("judgement", "A judgement."), ("verdict", "The verdict of the sampler."),
                           ("thinned", "Rows are thinned."), ("patience", "Its patience ends."), ("trouble", "The last trouble."),
                           ("asker", "By asker."), ("surroundings", "Its surroundings."), ("site", "The cookie of a site."),
                           ("compat", "For compat."), ("sites", "All sites."), ("earlier agents", "As earlier agents did.")):
            for name, planted in (("agent/bad.h", f"// {text}\n"), ("agent/bad.cc", f'// Bad.\nauto text = "{text}";\n')):
                with self.subTest(text=text, name=name):
                    self.plant(name, planted)
                    self.assert_found("names", f'"{word}" is retired')
                    os.remove(os.path.join(self.folder.name, name))

    def test_lets_ordinary_english_pass(self):
        self.plant("docs/good.md", "# Good\n\nThere is no file, and it is no\nlonger needed; so much that it fits.\n"
                                   "What tells one file from another, and is told apart; we cannot tell. Set aside for it.\n"
                                   "The call site, the call\nsites and site-packages.\n")
        self.assert_clean("names")

    def test_lets_strings_of_tests_pass_but_not_their_identifiers(self):
        self.plant("tests/good.cc", '// Good.\nauto text = "is no file";\n')
        self.plant("tests/good.py", '"""Good."""\nnobody = 1\nprint("nobody")  # a user\'s name\n')
        self.assert_clean("names")
        self.plant("tests/good.cc", "// Bad.\nint parcels = 0;\n")
        self.assert_found("names", '"parcels" is retired')


class Words(PlantedTree):
    def test_allows_vendors_where_they_belong(self):
        self.plant("backends/one/rows.cc", '// Rows.\nconst char* kName = "cudaMalloc";\n')
        self.plant("docs/page.md", "# CUDA and HIP\n")
        self.plant("README.md", "# Works with NVIDIA and AMD\n")
        self.assert_clean("words")

    def test_finds_each_vendor_word_in_code(self):
        for word in ("cudaMalloc", "libcudart", "NCCL", "rccl_x", "ROCm", "NVIDIA", "hipMalloc", "HIP", "libhiprtc",
                     "libamdhip64", "Amd", "mlx5_0", "ibv_post_send"):
            with self.subTest(word=word):
                self.plant("store/bad.cc", f'// Bad.\nconst char* name = "{word}";\n')
                self.assert_found("words", "store/bad.cc:2")

    def test_lets_ordinary_words_pass(self):
        self.plant("store/fine.cc", "// Ships relationships, whips and chips on amd64; championship hipster. sigprocmask\n")
        self.assert_clean("words")

    def test_excuses_examples_in_the_comments_of_hal_only(self):
        self.plant("hal/fine.h", '// The name, such as "cudaMalloc".\n')
        self.assert_clean("words")
        self.plant("hal/bad.h", '// A comment.\nconst char* name = "// cudaMalloc";\n')
        self.assert_found("words", "hal/bad.h:2")
        os.remove(os.path.join(self.folder.name, "hal/bad.h"))
        self.plant("store/bad.h", "// The name, such as cudaMalloc.\n")
        self.assert_found("words", "store/bad.h:1")


class Files(PlantedTree):
    def test_passes_files_that_open_with_what_they_are_for(self):
        self.plant("tools/script.sh", "#!/bin/sh\n# Does a thing.\n")
        self.plant("tools/data.json", "{}\n")
        self.assert_clean("files")

    def test_finds_a_file_without_an_opening_comment(self):
        self.plant("hal/bad.h", "#pragma once\n// Too late.\n")
        self.assert_found("files", "hal/bad.h:1")
        os.remove(os.path.join(self.folder.name, "hal/bad.h"))
        self.plant("tools/bad.sh", "#!/bin/sh\nset -e\n")
        self.assert_found("files", "tools/bad.sh:1")

    def test_finds_a_file_of_more_than_a_thousand_lines(self):
        self.plant("hal/long.cc", "// Long.\n" * 1000)
        self.assert_clean("files")
        self.plant("hal/long.cc", "// Long.\n" * 1001)
        self.assert_found("files", "1001 lines")

    LONG = "int sum(int n)\n{\n" + "  n += '{' - \"}\"[0];  // }\n" * 78 + "}\n"  # 80 lines from brace to brace

    def test_finds_a_function_of_more_than_eighty_lines(self):
        self.plant("hal/long.cc", "// Long.\n#define OPEN {\n" + self.LONG)
        self.assert_clean("files")
        for more in ("  n += 1;\n", "  if (n) {\n  }\n", "  const auto add = [&] {\n    ++n;\n  };\n"):
            with self.subTest(more=more):
                self.plant("hal/long.cc", "// Long.\n" + self.LONG[:-2] + more + "}\n")
                self.assert_found("files", "hal/long.cc:2: a function of ")

    def test_finds_it_in_a_class_and_behind_initialisers(self):
        body = "    ++a_;\n" * 79 + "  }\n"
        self.plant("hal/long.h", "// Long.\nnamespace n {\nclass It {\n public:\n  It(int a) : a_{a},\n    b_{a} {\n" + body +
                   " private:\n  int a_, b_;\n};\n}\n")
        self.assert_found("files", "hal/long.h:5: a function of 81 lines")

    def test_allows_a_long_class_table_and_namespace(self):
        lines = "  int f(int a) { return a; }\n" * 100
        self.plant("hal/long.h", "// Long.\nnamespace n {\nstruct alignas(8) It {\n" + lines + "};\nconstexpr int kAll[] = {\n" +
                   "  int(1),\n" * 100 + "};\n}\n")
        self.assert_clean("files")

    def test_allows_a_long_function_that_says_why(self):
        longer = self.LONG[:-2] + "  n += 1;\n}\n"
        self.plant("hal/long.cc", "// Long.\n\n// Adds. Long because it is\n// one switch.\n" + longer)
        self.assert_clean("files")
        self.plant("hal/long.cc", "// Long.\n\n// Long because it is one switch.\nint m;\n" + longer)
        self.assert_found("files", "hal/long.cc:5")

    def test_finds_blanks_at_a_lines_end_and_a_missing_last_newline(self):
        self.plant("hal/blank.cc", "// Blank. \n")
        self.assert_found("files", "hal/blank.cc:1: blank")
        self.plant("hal/blank.cc", "// No newline.")
        self.assert_found("files", "does not end with a newline")


class Page(PlantedTree):
    def setUp(self):
        super().setUp()
        for name in ("package.json", "package-lock.json", "build.mjs", "source/main.js"):
            self.plant("serve/page/" + name, "content\n")
        known = hashlib.sha256(b"content\n").hexdigest()
        self.plant("serve/page/bundle/sources.sha256", "# Made.\n" + "".join(
            f"{known}  {name}\n" for name in ("package.json", "package-lock.json", "build.mjs", "source/main.js")))

    def test_a_bundle_of_these_sources_is_clean(self):
        self.assert_clean("page")

    def test_a_changed_source_is_found(self):
        self.plant("serve/page/source/main.js", "changed\n")
        self.assert_found("page", "source/main.js: is not what the bundle was made of")

    def test_a_new_and_a_removed_source_are_found(self):
        self.plant("serve/page/source/views/new.js", "content\n")
        self.assert_found("page", "source/views/new.js: is not what")
        os.rename(os.path.join(self.folder.name, "serve/page/source/views/new.js"), os.path.join(self.folder.name, "other"))
        os.unlink(os.path.join(self.folder.name, "serve/page/source/main.js"))
        self.assert_found("page", "source/main.js: is gone")


if __name__ == "__main__":
    unittest.main()
