import type { RoomProtections } from '../protection.ts'

const rooms: readonly RoomProtections[] = [
  {
    room: 'base',
    tests: ['test/send/retry', 'test/base/stack', 'test/base/time', 'test/proof/mistakes'],
    protections: [
      {
        file: 'errors.ts',
        protects: 'an error is recognised from another copy of the package',
        text: 'return error.code === code ||',
        without: 'return',
      },
      {
        file: 'time.ts',
        protects: 'a duration is a finite time of zero or more',
        text: 'Number.isFinite(duration) && duration >= 0 ?',
        without: 'true ?',
      },
      {
        file: 'lazily.ts',
        protects: 'a process has one default client, whatever makes one inside a call',
        text: 'last?.environment !== environment',
        without: 'true',
        tests: ['test/send/clients'],
      },
      {
        file: 'lazily.ts',
        protects: 'another environment has another client',
        text: 'last?.environment !== environment',
        without: 'last === undefined',
        tests: ['test/send/clients'],
      },
      {
        file: 'ids.ts',
        protects: 'an id made of a missing value is refused',
        text: '? undefined : word',
        without: '? undefined : undefined',
        tests: ['test/base/missingIn', 'test/deliver/otherPayload'],
      },
      {
        file: 'ids.ts',
        protects: 'a hash that happens to spell NaN is an id',
        text: 'return isSpeltByChance(text, found.index, word.length) ?',
        without: 'return false ?',
        tests: ['test/base/missingIn'],
      },
      {
        file: 'time.ts',
        protects: 'a time in seconds is not taken for a day of 1970',
        text: "typeof given === 'number' && isSeconds(time) ?",
        without: 'false ?',
        tests: ['test/base/time', 'test/send/producer'],
      },
      {
        file: 'logger.ts',
        protects: 'a logger that throws fails nothing',
        text: 'callSafely(() => logger[level](message, ...fields))',
        without: 'logger[level](message, ...fields)',
        tests: ['test/call/throwingLogger', 'test/deliver/logs'],
      },
    ],
  },
  {
    room: 'base/limits',
    tests: ['test/context/wrongWrites', 'test/store/contract', 'test/store/memory'],
    protections: [
      {
        file: 'wireValue.ts',
        protects: 'no number has more digits than DynamoDB keeps',
        text: 'if (digits.length > DYNAMODB.numberDigits)',
        without: 'if (false)',
      },
    ],
  },
  {
    room: 'send',
    protections: [
      {
        file: 'batches.ts',
        protects: 'an entry that was not answered counts as not sent',
        text: "? new EntryRefusedError(undefined, 'the entry was not answered')",
        without: '? { messageId: undefined }',
      },
      {
        file: 'batches.ts',
        protects: 'nothing overtakes a message on a FIFO queue',
        text: 'const behind = answers.some((answer) => answer instanceof Error)',
        without: 'const behind = false',
      },
      {
        file: 'batches.ts',
        protects: 'entries that are too long together are sent in parts',
        text: 'isTooLongTogether(failure) && entries.length > 1',
        without: 'false',
      },
      {
        file: 'batches.ts',
        protects: 'a call holds no more entries than SQS takes',
        text: 'last.length === batchEntries ||',
      },
      {
        file: 'refusal.ts',
        protects: 'a lost answer is not taken for a refusal',
        text: 'return error.awsCode !== undefined',
        without: 'return true',
        tests: ['test/send/batches', 'test/send/refusal', 'test/send/producer'],
      },
      {
        file: 'refusal.ts',
        protects: 'another refusal does not say that a message is gone',
        text: 'return /message does not exist/i.test(error.message)',
        without: 'return true',
        tests: ['test/send/refusal', 'test/features/mapping'],
      },
      {
        file: 'sdkMessenger.ts',
        protects: 'a payload is stored before its message is sent',
        text: 'await storePayloads(messages)',
        tests: ['test/features/payloads/recordHandler'],
      },
      {
        file: 'timeouts.ts',
        protects: 'nothing is sent once the invocation is over',
        text: 'over?.throwIfAborted()',
        tests: ['test/deliver', 'test/context'],
      },
      {
        file: 'timeouts.ts',
        protects: 'a silent SQS does not hold an invocation past its end',
        text: "abortSignal.addEventListener('abort', giveUp, { once: true })",
        tests: ['test/deliver', 'test/context'],
      },
      {
        file: 'retry.ts',
        protects: 'a message is not dropped as a loop of functions',
        text: 'hops < MAX_HOPS',
        without: 'true',
      },
      {
        file: 'retry.ts',
        protects: 'a message of a FIFO queue keeps its place',
        text: '!fifo &&',
      },
      {
        file: 'timeouts.ts',
        protects: 'a call to S3, which knows of no end of an invocation, is given up in time',
        text: 'CALL_WITHIN_MS = 20_000',
        without: 'CALL_WITHIN_MS = 20_000_000',
        tests: ['test/features/s3'],
      },
      {
        file: 'queueUrl.ts',
        protects: 'a URL in a row sends no session token to another host',
        text: 'await checkHost(queue, client)',
      },
      {
        file: 'sdkMessenger.ts',
        protects: 'a message without a Region is certainly not sent',
        text: '/Region is missing/.test(messageOf(error))',
        without: 'false',
      },
      {
        file: 'messageGroup.ts',
        protects: 'a message keeps the tenant of a fair queue',
        text: 'tenant === undefined ? {} :',
        without: 'true ? {} :',
        tests: ['test/deliver/fairQueues', 'test/flow/groups'],
      },
    ],
  },
  {
    room: 'send/producer',
    protections: [
      {
        file: 'deliverAll.ts',
        protects: 'a refusal for good is not tried again',
        text: 'return answer instanceof Error && !isPermanent(answer)',
        without: 'return answer instanceof Error',
      },
      {
        file: 'deliverAll.ts',
        protects: 'a message that may have been sent is not called unsent',
        text: "isCertain(answer) ? 'notSent' : 'unknown'",
        without: "'notSent'",
      },
      {
        file: 'request.ts',
        protects: 'a clock that is ahead does not shut out later requests',
        text: 'Math.min(time, Math.trunc(now()))',
        without: 'time',
      },
      {
        file: 'request.ts',
        protects: 'a stamp that consumers would not trust is refused',
        text: 'if (own === undefined || own === given) return given',
        without: 'return given',
      },
      {
        file: 'trace.ts',
        protects: 'where one process runs many invocations, each sends its own trace',
        text: 'awslambda?.InvokeStore?.getXRayTraceId?.() ??',
      },
    ],
  },
  {
    room: 'features/metrics',
    protections: [
      {
        file: 'emfMetrics.ts',
        protects: 'CloudWatch takes every value',
        text: 'const MAX_VALUES = 100',
        without: 'const MAX_VALUES = 1_000_000',
      },
    ],
  },
  {
    room: 'features/tracing/openTelemetry',
    tests: ['test/features/tracing'],
    protections: [
      {
        file: 'spans.ts',
        protects: 'a tracer that throws changes no record',
        text: 'try { return call() } catch { return undefined }',
        without: 'return call()',
      },
      {
        file: 'spans.ts',
        protects: 'a handler runs also when its tracer fails',
        text: 'if (end === undefined) run()',
      },
    ],
  },
]

export default rooms
