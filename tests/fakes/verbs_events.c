// Drives the real libibverbs without an adapter: a made-up context whose asynchronous events come out of a pipe, and a
// queue pair in memory. Prints what it did, one JSON object a line, for the test to hold against the recording.
//
// The library calls its provider through the private table behind verbs_context.priv (ops.async_event): the block here
// is a function that does nothing in every word, so that no offset of a version matters.
#include <unistd.h>

#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRIVATE_WORDS 1024

static void no_async(struct ibv_context* context, struct ibv_async_event* event) {
  (void)context;
  (void)event;
}

static int no_modify(struct ibv_qp* qp, struct ibv_qp_attr* attr, int mask) {
  (void)attr;
  (void)mask;
  return qp->qp_num == 4242 ? 0 : EINVAL;
}

static struct ibv_srq made_srq;
static struct ibv_srq* make_srq(struct ibv_pd* pd, struct ibv_srq_init_attr* attributes) {
  (void)pd;
  (void)attributes;
  return &made_srq;
}
static struct ibv_qp made_qp;
static struct ibv_qp* make_qp(struct ibv_pd* pd, struct ibv_qp_init_attr* attributes) {
  made_qp.context = pd->context;
  made_qp.qp_num = 777;
  made_qp.qp_type = attributes->qp_type;
  return &made_qp;
}
static struct ibv_qp* make_no_qp(struct ibv_pd* pd, struct ibv_qp_init_attr* attributes) {
  (void)pd;
  (void)attributes;
  errno = ENOMEM;
  return NULL;
}
static int nothing(void) { return 0; }

static int inject(int fd, uint32_t type, uint64_t element) {
  struct ib_uverbs_async_event_desc event;
  memset(&event, 0, sizeof(event));
  event.element = element;
  event.event_type = type;
  return write(fd, &event, sizeof(event)) == sizeof(event) ? 0 : -1;
}

static void emit(const char* call, int returned, const struct ibv_async_event* event, uint32_t port) {
  printf("{\"call\":\"%s\",\"pid\":%d,\"returned\":%d,\"type\":%d,\"port\":%u}\n", call, (int)getpid(), returned,
         event != NULL ? (int)event->event_type : -1, port);
}

// Long because it is one scenario: the calls in the order in which the test expects their events.
int main(int count, char** arguments) {
  const int rounds = count > 1 ? atoi(arguments[1]) : 8;
  int ends[2];
  if (pipe(ends) != 0) return 1;
  struct ibv_device device;
  memset(&device, 0, sizeof(device));
  strcpy(device.name, "mlx5_0");
  device.node_type = IBV_NODE_CA;
  device.transport_type = IBV_TRANSPORT_IB;
  // The public context is the last member of struct verbs_context.
  struct verbs_context* outer = calloc(1, sizeof(*outer) + 4096);
  void** private_words = calloc(PRIVATE_WORDS, sizeof(*private_words));
  if (outer == NULL || private_words == NULL) return 1;
  for (int i = 0; i < PRIVATE_WORDS; ++i) private_words[i] = (void*)(uintptr_t)no_async;
  outer->sz = sizeof(*outer);
  outer->priv = (void*)private_words;
  struct ibv_context* context = &outer->context;
  context->abi_compat = (void*)(uintptr_t)-1;  // an extended context
  context->device = &device;
  context->async_fd = ends[0];
  context->cmd_fd = -1;
  pthread_mutex_init(&context->mutex, NULL);

  static const uint32_t types[] = {IBV_EVENT_PORT_ERR, IBV_EVENT_PORT_ACTIVE, IBV_EVENT_LID_CHANGE,
                                   IBV_EVENT_DEVICE_FATAL};
  for (int i = 0; i < rounds; ++i) {
    const uint32_t port = 1 + (uint32_t)i % 2;
    if (inject(ends[1], types[i % 4], port) != 0) return 1;
    struct ibv_async_event event;
    memset(&event, 0xee, sizeof(event));
    const int returned = ibv_get_async_event(context, &event);
    emit("ibv_get_async_event", returned, &event, types[i % 4] == IBV_EVENT_DEVICE_FATAL ? 0 : port);
    ibv_ack_async_event(&event);
  }

  struct ibv_qp qp;
  memset(&qp, 0, sizeof(qp));
  qp.context = context;
  qp.qp_num = 4242;
  pthread_mutex_init(&qp.mutex, NULL);
  pthread_cond_init(&qp.cond, NULL);
  if (inject(ends[1], IBV_EVENT_QP_FATAL, (uintptr_t)&qp) != 0) return 1;
  struct ibv_async_event event;
  int returned = ibv_get_async_event(context, &event);
  emit("ibv_get_async_event", returned, &event, 0);
  ibv_ack_async_event(&event);

  // The provider's part of a modification does nothing: the library then notes the new state itself.
  for (int i = 0; i < PRIVATE_WORDS; ++i) private_words[i] = (void*)(uintptr_t)no_modify;
  struct ibv_qp_attr attributes;
  memset(&attributes, 0, sizeof(attributes));
  attributes.qp_state = IBV_QPS_RTS;
  returned = ibv_modify_qp(&qp, &attributes, IBV_QP_STATE);
  emit("ibv_modify_qp", returned, NULL, 0);

  // A shared receive queue's life; the provider's part of it is a function that makes one, then one that does nothing.
  for (int i = 0; i < PRIVATE_WORDS; ++i) private_words[i] = (void*)(uintptr_t)make_srq;
  struct ibv_pd pd = {.context = context, .handle = 1};
  struct ibv_srq_init_attr wanted;
  memset(&wanted, 0, sizeof(wanted));
  struct ibv_srq* srq = ibv_create_srq(&pd, &wanted);
  if (srq != &made_srq) return 4;
  for (int i = 0; i < PRIVATE_WORDS; ++i) private_words[i] = (void*)(uintptr_t)nothing;
  struct ibv_srq_attr limits;
  memset(&limits, 0, sizeof(limits));
  printf("{\"call\":\"srq\",\"pid\":%d,\"pd\":%lu,\"srq\":%lu,\"returned\":[%d,%d,%d]}\n", (int)getpid(),
         (unsigned long)(uintptr_t)&pd, (unsigned long)(uintptr_t)srq, ibv_modify_srq(srq, &limits, IBV_SRQ_LIMIT),
         ibv_query_srq(srq, &limits), ibv_destroy_srq(srq));

  // A queue pair that is made, and one that is not.
  struct ibv_qp_init_attr kind;
  memset(&kind, 0, sizeof(kind));
  kind.qp_type = IBV_QPT_RC;
  for (int i = 0; i < PRIVATE_WORDS; ++i) private_words[i] = (void*)(uintptr_t)make_qp;
  if (ibv_create_qp(&pd, &kind) != &made_qp) return 5;
  for (int i = 0; i < PRIVATE_WORDS; ++i) private_words[i] = (void*)(uintptr_t)make_no_qp;
  if (ibv_create_qp(&pd, &kind) != NULL) return 6;

  close(ends[1]);
  returned = ibv_get_async_event(context, &event);
  emit("ibv_get_async_event", returned, NULL, 0);
  return qp.state == IBV_QPS_RTS && qp.events_completed == 1 ? 0 : 3;
}
