// A receiver of OTLP over gRPC, of the official protos and the JavaScript implementation of gRPC: prints a line of JSON
// for each request. node otlp_receiver.mjs MODULES PROTOS BUSY [CERTIFICATE KEY CLIENT_AUTHORITY]
//
// The first BUSY requests are answered UNAVAILABLE; the first one after them is accepted in part.
import { createRequire } from 'node:module';
import fs from 'node:fs';

const [modules, protos, busy, certificate, key, authority] = process.argv.slice(2);
const require = createRequire(modules + '/');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');
const files = ['metrics', 'trace'].map((name) => `opentelemetry/proto/collector/${name}/v1/${name}_service.proto`);
const loaded = grpc.loadPackageDefinition(loader.loadSync(files, { includeDirs: [protos], longs: String, enums: String }));
const collector = loaded.opentelemetry.proto.collector;
let requests = 0;
const answer = (signal) => (call, done) => {
  const number = requests++;
  const is_busy = number < Number(busy);
  console.log(JSON.stringify({ signal, is_busy, metadata: call.metadata.getMap(), request: call.request }));
  if (is_busy) return done({ code: grpc.status.UNAVAILABLE, details: 'not yet, 100% sure' });
  const partial = number === Number(busy) && signal === 'metrics';
  done(null, partial ? { partialSuccess: { rejectedDataPoints: '2', errorMessage: 'two too many' } } : {});
};
const server = new grpc.Server();
server.addService(collector.metrics.v1.MetricsService.service, { Export: answer('metrics') });
server.addService(collector.trace.v1.TraceService.service, { Export: answer('traces') });
const credentials = certificate
  ? grpc.ServerCredentials.createSsl(fs.readFileSync(authority),
    [{ cert_chain: fs.readFileSync(certificate), private_key: fs.readFileSync(key) }], true)
  : grpc.ServerCredentials.createInsecure();
server.bindAsync('127.0.0.1:0', credentials, (error, port) => {
  if (error) throw error;
  console.log(JSON.stringify({ port }));
});
