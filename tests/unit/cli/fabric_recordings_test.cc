// Recordings of soft-RoCE in a guest of Linux 6.12 (tests/kernels/jobs/, kept by tests/kernels/keep.py): what explain,
// query and a replay say of healthy ping-pongs, of loss, and of a port that falls with and without a program that waits
// for it.
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <sqlite3.h>

#include "cli_fixture.h"
#include "store/db/sqlite.h"

namespace ingero::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class FabricRecording : public TemporaryFolder {
 protected:
  std::string recording(const std::string& name) {
    std::ifstream text(std::string(INGERO_SOURCE_DIR "/tests/unit/cli/recordings/soft_roce_") + name + ".sql");
    std::stringstream sql;
    sql << text.rdbuf();
    const std::string file = path(name + ".db");
    auto database = store::Database::open(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, file);
    EXPECT_TRUE(database.ok());
    const Status made = database->execute(sql.str());
    EXPECT_TRUE(made.ok()) << made.error().text();
    return file;
  }
  static std::string explain(const std::string& file) {
    const Outcome outcome = run_cli({"explain", "--db", file});
    EXPECT_EQ(outcome.status, kExitDone) << outcome.err;
    return outcome.out;
  }
};

TEST_F(FabricRecording, HealthyPingPongsAccuseNobody) {
  const std::string said = explain(recording("healthy"));
  EXPECT_THAT(said, AllOf(HasSubstr("No causal chain found"), Not(HasSubstr("ack_deferred")), Not(HasSubstr("rxe0"))));
  EXPECT_THAT(said, HasSubstr("ibv_create_qp"));
}

TEST_F(FabricRecording, LossNamesTheRetriesAndThePingPongThatTookThem) {
  const std::string said = explain(recording("loss"));
  EXPECT_THAT(said, HasSubstr("Packets were lost or late on rxe0 port 1 and sent again: "));
  EXPECT_THAT(said, AllOf(HasSubstr("completer_retry_err 15"), HasSubstr("rcvd_seq_err 3")));
  EXPECT_THAT(said, HasSubstr("ibv_rc_pingpong (pid "));
  EXPECT_THAT(said, AllOf(Not(HasSubstr("ack_deferred")), HasSubstr("Look for drops on the path")));
}

TEST_F(FabricRecording, AFallenPortIsNamedWithTheEventItsTimeAndItsProcess) {
  const std::string file = recording("port");
  const std::string said = explain(file);
  EXPECT_THAT(said, HasSubstr("[HIGH] rxe0 port 1 went down, back after 2"));
  EXPECT_THAT(said, HasSubstr("IBV_EVENT_PORT_ERR delivered to ibv_asyncwatch (pid 537) at "));
  EXPECT_THAT(said, AllOf(HasSubstr("link_downed 1"), Not(HasSubstr("ack_deferred"))));
  EXPECT_THAT(said, AllOf(Not(HasSubstr("event took the most time")), HasSubstr("CAUSAL CHAINS - 1 chain")));
}

TEST_F(FabricRecording, AFallenPortIsNamedWhereNoProgramMadeACall) {
  const std::string said = explain(recording("alone"));
  EXPECT_THAT(said, HasSubstr("It holds no events."));
  EXPECT_THAT(said, HasSubstr("[HIGH] rxe0 port 1 went down, back after about 2"));
  EXPECT_THAT(said, HasSubstr("link_downed 1"));
}

TEST_F(FabricRecording, QuerySaysWhichEventTheDeviceDelivered) {
  const std::string file = recording("port");
  const Outcome table = run_cli({"query", "--db", file, "--op", "ibv_get_async_event"});
  EXPECT_EQ(table.status, kExitDone) << table.err;
  EXPECT_THAT(table.out, AllOf(HasSubstr("DETAIL"), HasSubstr("IBV_EVENT_PORT_ERR, port 1"),
                               HasSubstr("IBV_EVENT_PORT_ACTIVE, port 1")));
  const Outcome json = run_cli({"query", "--db", file, "--op", "ibv_get_async_event", "--json"});
  EXPECT_THAT(json.out, HasSubstr("\"detail\":\"IBV_EVENT_PORT_ERR, port 1\""));
}

}  // namespace
}  // namespace ingero::cli
