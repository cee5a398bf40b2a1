import type { RoomProtections } from '../protection.ts'

const rooms: readonly RoomProtections[] = [
  {
    room: 'context',
    protections: [
      {
        file: 'once.ts',
        protects: 'the start of a call is stored before it',
        text: 'if (refusedBy !== undefined) return once(asked)',
        tests: ['test/context/once', 'test/proof/model'],
      },
      {
        file: 'once.ts',
        protects: 'a call that was begun is not made again',
        text: "if (options.effect === 'once') throw inDoubt(name)",
      },
      {
        file: 'once.ts',
        protects: 'a call that may have reached its system is not repeated',
        text: 'if (!neverReached(error)) throw inDoubt(name, error)',
      },
      {
        file: 'neverReached.ts',
        protects: 'a request that the SDK has repeated may have arrived',
        text: '!chain.some(wasRepeatedOrAnswered) &&',
      },
      {
        file: 'effectNames.ts',
        protects: 'a second effect of one name is refused',
        text: 'if (!begun.has(name)) return call',
        without: 'return call',
      },
      {
        file: 'pending.ts',
        protects: 'a failed write fails the record, also when it is not awaited',
        text: 'if (failed !== undefined) throw failed.error',
      },
      {
        file: 'pending.ts',
        protects: 'a record waits for effects that were not awaited',
        text: 'while (begun.size > 0)',
        without: 'while (false)',
      },
      {
        file: 'handlerResult.ts',
        protects: 'the calls of a failed handler end before the next attempt',
        text: 'await settled().catch(() => {})',
      },
      {
        file: 'effectScope.ts',
        protects: 'writes of one attempt do not cancel each other',
        text: 'const mine = last.then(write)',
        without: 'const mine = write()',
      },
      {
        file: 'writes.ts',
        protects: 'a write that waited for its turn is not made after the end',
        text: 'assertOpen() return write()',
        without: 'return write()',
      },
      {
        file: 'outsideCalls.ts',
        protects: 'no outside call begins after the end of the attempt',
        text: 'assertOpen() return call(key)',
        without: 'return call(key)',
      },
      {
        file: 'effectNames.ts',
        protects: 'names that differ between attempts are told',
        text: 'open.size === 0 || added',
        without: 'open.size >= 0 || added',
      },
      {
        file: 'openContext.ts',
        protects: 'ctx is refused after the end of the attempt',
        text: 'close: () => { open = false',
        without: 'close: () => { open = true',
      },
      {
        file: 'outbox.ts',
        protects: 'each message has the same id in every attempt',
        text: 'const id = stableId(sender.uniqueRequestId,',
        without: 'const id = stableId(String(Math.random()),',
      },
      {
        file: 'outbox.ts',
        protects: 'two messages of one name are refused',
        text: 'if (index > 0 && options.name !== undefined)',
        without: 'if (false)',
      },
      {
        file: 'outbox.ts',
        protects: 'a handler whose message was refused has not completed',
        text: 'if (worst !== undefined) throw worst',
      },
      {
        file: 'writes.ts',
        protects: 'an effect that was made is not made again',
        text: 'if (mark === undefined) return { applied: true }',
        without: 'if (mark === undefined) return { applied: false } as never',
      },
      {
        file: 'writes.ts',
        protects: 'a write of an attempt that has lost its claim is not taken for made',
        text: 'throw superseded(scope.hold.attempt, scope.uniqueRequestId)',
        without: 'return { applied: true }',
      },
      {
        file: 'checkSend.ts',
        protects: 'a message without a queue is refused before anything is sent',
        text: 'checkTarget(caller, route, target)',
      },
      {
        file: 'openContext.ts',
        protects: 'a late call is no mistake of the set-up, and its message is tried again',
        text: 'return new LateCall(',
        without: 'return new ConfigError(',
        tests: ['test/context/lateCalls'],
      },
      {
        file: 'openContext.ts',
        protects: 'a late call is counted, as nobody awaits it',
        text: "parts.count('lateCalls')",
        tests: ['test/context/lateCalls'],
      },
      {
        file: 'handlerResult.ts',
        protects: 'a result that shows work to be undone is no success',
        text: 'if (what === undefined) return',
        without: 'return',
        tests: ['test/deliver/handlerResult'],
      },
      {
        file: 'handlerResult.ts',
        protects: 'a partial response of a handler is no success',
        text: 'if (failure !== undefined) {',
        without: 'if (false) {',
        tests: ['test/deliver/handlerResult'],
      },
    ],
  },
  {
    room: 'context/guard',
    protections: [
      {
        file: 'compileGuard.ts',
        protects: 'newerThan refuses an older request',
        text: "{ field, is: '<', value: at },",
        without: '{ exists: field },',
      },
      {
        file: 'compileGuard.ts',
        protects: 'two requests of one millisecond are ordered',
        text: "{ field: by, is: '<=', value: requester.uniqueRequestId },",
      },
      {
        file: 'compileGuard.ts',
        protects: 'a clock that is ahead does not shut out later requests',
        text: 'at > requester.now + MAX_AHEAD_MS',
        without: 'false',
      },
      {
        file: 'checkWrite.ts',
        protects: 'two writes of one item are refused before the transaction',
        text: 'if (other !== undefined) {',
        without: 'if (false) {',
        tests: ['test/context/wrongWrites', 'test/context/severalWrites', 'test/context'],
      },
      {
        file: 'checkWrite.ts',
        protects: 'a transaction leaves room for the claim',
        text: 'DYNAMODB.transactionItems - 1',
        without: 'DYNAMODB.transactionItems',
        tests: ['test/context/wrongWrites', 'test/context/severalWrites', 'test/context'],
      },
    ],
  },
  {
    room: 'context/results',
    tests: ['test/context/storedValue', 'test/call/results', 'test/call/running'],
    protections: [
      {
        file: 'tokenResult.ts',
        protects: 'a result that is being stored is waited for',
        text: 'return until > keeper.clock.now()',
        without: 'return false',
      },
      {
        file: 'tokenResult.ts',
        protects: 'a result beside its token is read consistently',
        text: '{ consistent: true }',
        without: '{ consistent: false }',
      },
      {
        file: 'tokenResult.ts',
        protects: 'a token stays within one write unit',
        text: '<= WRITE_UNIT_BYTES',
        without: '<= 400_000',
      },
    ],
  },
]

export default rooms
