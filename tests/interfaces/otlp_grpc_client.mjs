// Sends metrics over gRPC as OpenTelemetry's own SDK does, and shows what the server answered: real clients of a
// cluster's receiver.
//
//   otlp_grpc_client.mjs MODULES sdk URL TOKEN none|gzip [CA]     the SDK's exporter: "sent", or its error
//   otlp_grpc_client.mjs MODULES raw HOST:PORT TOKEN PATH         the message on stdin, by grpc-js: JSON of the answer
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [modules, kind, where, token, more, ca] = process.argv.slice(2);
const require = createRequire(path.join(modules, 'x.js'));
const grpc = require('@grpc/grpc-js');
const metadata = new grpc.Metadata();
metadata.set('authorization', `Bearer ${token}`);

if (kind === 'sdk') {
  const { MeterProvider, PeriodicExportingMetricReader } = require('@opentelemetry/sdk-metrics');
  const { resourceFromAttributes } = require('@opentelemetry/resources');
  const { OTLPMetricExporter } = require('@opentelemetry/exporter-metrics-otlp-grpc');
  const credentials = ca ? grpc.credentials.createSsl(fs.readFileSync(ca)) : undefined;
  const exporter = new OTLPMetricExporter({ url: where, compression: more, metadata, credentials });
  let failure = null;
  const send = exporter.export.bind(exporter);
  exporter.export = (metrics, done) => send(metrics, (result) => {
    if (result.code !== 0) failure = result.error;
    done(result);
  });
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ 'host.name': 'sdk-host', 'ingero.cluster.id': 'sdk' }),
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60000 })],
  });
  const meter = provider.getMeter('m', '1.0');
  meter.createCounter('foo.count').add(3, { gpu: '0', 'ingero.rank': 2 });
  const lengths = meter.createHistogram('lat', { unit: 's' });
  lengths.record(0.25);
  lengths.record(0.5);
  meter.createObservableGauge('temp').addCallback((result) => result.observe(42.5, { gpu: '1' }));
  await provider.forceFlush().catch((error) => { failure = error; });
  console.log(failure ? `error ${failure.code} ${failure.message}` : 'sent');
  await provider.shutdown().catch(() => {});
} else {
  const message = fs.readFileSync(0);
  const client = new grpc.Client(where, grpc.credentials.createInsecure());
  const answer = { code: 0, metadata: {}, body: '' };
  const same = (bytes) => bytes;
  await new Promise((resolve) => {
    const call = client.makeUnaryRequest(more, same, same, message, metadata, { deadline: Date.now() + 20000 }, (error, body) => {
      if (body) answer.body = body.toString('base64');
      if (error) {
        answer.code = error.code;
        answer.why = error.details;
        const details = error.metadata.get('grpc-status-details-bin');
        if (details.length) answer.details = details[0].toString('base64');
      }
    });
    call.on('metadata', (some) => { answer.metadata = some.getMap(); });
    call.on('status', resolve);
  });
  client.close();
  console.log(JSON.stringify(answer));
}
