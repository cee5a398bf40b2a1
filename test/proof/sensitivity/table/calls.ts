import type { RoomProtections } from '../protection.ts'

const rooms: readonly RoomProtections[] = [
  {
    room: 'call',
    protections: [
      {
        file: 'acquire.ts',
        protects: 'another payload under one key is a conflict',
        text: "if (claimed.by.kind === 'conflict')",
        without: 'if (false)',
        tests: ['test/call/idempotent', 'test/call/http'],
      },
      {
        file: 'acquire.ts',
        protects: 'a call whose option fails is not run unprotected',
        text: "return { kind: 'broken', because: reasonOf(error) }",
        without: "return { kind: 'no' }",
        tests: ['test/call/idempotent', 'test/call/keys'],
      },
      {
        file: 'readCall.ts',
        protects: 'two functions of one Lambda do not share a scope',
        text: 'if (first === handler) return lambdaName',
        without: 'return lambdaName',
        tests: ['test/call/idempotent', 'test/call/keys'],
      },
      {
        file: 'callKey.ts',
        protects: 'two callers without an identity do not share a key',
        text: 'http !== undefined && caller === undefined && !isPreflight(http)',
        without: 'false',
        tests: ['test/call/http', 'test/call/callers'],
      },
      {
        file: 'canonical.ts',
        protects: 'different data never have one hash',
        text: 'return safe === text ? `${tag}${text.length}:${text}`',
        without: 'return safe === text ? `${tag}${text}`',
        tests: ['test/call/keys'],
      },
      {
        file: 'heldKey.ts',
        protects: 'only the first end of a key counts',
        text: 'if (ended !== undefined) {',
        without: 'if (false) {',
        tests: ['test/call/lockTokens', 'test/call/ends'],
      },
      {
        file: 'settle.ts',
        protects: 'a key whose function may still run is not freed',
        text: "if (state === 'has ended') return heldKey.release(why, stack)",
        without: 'return heldKey.release(why, stack)',
        tests: ['test/call/running', 'test/call/ends'],
      },
      {
        file: 'settle.ts',
        protects: 'all callers get one answer, also when the key was taken over',
        text: "end?.kind === 'taken over' ? answerOfSuccessor() : undefined",
        without: 'undefined',
        tests: ['test/call/running', 'test/call/race'],
      },
      {
        file: 'renewLease.ts',
        protects: 'a holder whose lease has ended does not renew it',
        text: 'if (endsAt === undefined && now >= held.leaseUntil) return',
        tests: ['test/call/running'],
      },
      {
        file: 'onceForever.ts',
        protects: 'a key that was taken is taken for ever',
        text: "outcome.kind === 'applied' || outcome.item?.['acquiredBy'] === acquiredBy",
        without: 'true',
        tests: ['test/call/onceForever'],
      },
      {
        file: 'onceForever.ts',
        protects: 'an event that was accepted is not replaced by another one',
        text: "where: readonly Condition[] = [{ exists: 'created' }, ...ONLY_ACQUIRED]",
        without: "where: readonly Condition[] = [{ exists: 'created' }]",
        tests: ['test/call/acquiredTwice'],
      },
      {
        file: 'onceForever.ts',
        protects: 'another payload under one event is refused',
        text: "taken['payloadHash'] !== own['payloadHash']",
        without: 'false',
        tests: ['test/call/onceForever'],
      },
      {
        file: 'jmespath.ts',
        protects: 'an expression that lacks a part makes no key',
        text: "isHash && typeof found === 'object' && found !== null ? Object.values(found) : found",
        without: 'found',
        tests: ['test/call/jmespath'],
      },
      {
        file: 'settle.ts',
        protects: 'a generator, a function or a list of promises is not kept as an answer',
        text: 'if (unfinished !== undefined) {',
        without: 'if (false) {',
        tests: ['test/call/unfinished'],
      },
      {
        file: 'renewLease.ts',
        protects: 'a lease of months is not renewed without a pause',
        text: 'Math.min(wait, LONGEST_TIMER_MS)',
        without: 'wait',
        tests: ['test/call/lateCalls'],
      },
    ],
  },
  {
    room: 'call/http',
    tests: ['test/call/http', 'test/call/keys', 'test/call/callers'],
    protections: [
      {
        file: 'httpAnswer.ts',
        protects: 'cookies of the first caller reach no other one',
        text: "name.toLowerCase() === 'set-cookie'",
        without: 'false',
      },
      {
        file: 'httpAnswer.ts',
        protects: 'only an answer that shows success is stored',
        text: 'return status >= 200 && status < 300',
        without: 'return true',
      },
      {
        file: 'caller.ts',
        protects: 'two kinds of callers with one name do not share a key',
        text: 'return [kind, ...parts].join',
        without: 'return parts.join',
      },
      {
        file: 'caller.ts',
        protects: 'a header behind an ALB, which a client can write, is no caller',
        text: "case 'alb': return undefined",
        without: "case 'alb': return http.header('x-amzn-oidc-identity')",
      },
    ],
  },
  {
    room: 'call/middy',
    tests: ['test/call/running', 'test/call'],
    protections: [
      {
        file: 'middleware.ts',
        protects: 'a call has one end',
        text: '(settling ??= how())',
        without: '(settling = how())',
      },
    ],
  },
  {
    room: 'call/invocation',
    protections: [
      {
        file: 'openCall.ts',
        protects: 'messages are sent when the function has succeeded',
        text: 'await opened.outbox.flush(setting.messenger, over)',
      },
      {
        file: 'openCall.ts',
        protects: 'an overtaken attempt sends nothing',
        text: 'AbortSignal.any([deadline.over, lost.signal])',
        without: 'deadline.over',
      },
      {
        file: 'openCall.ts',
        protects: 'a later attempt raises the fence in SQL before it begins',
        text: 'if (!call.isSurelyFirst) await raiseFence()',
        tests: ['test/call/invocation/sql'],
      },
      {
        file: 'openCall.ts',
        protects: 'a key with effects stays bound to its payload',
        text: 'return mayHaveSql || sends || attempt > 1 || applied.size > 0 || calls.size > 0',
        without: 'return false',
      },
      {
        file: 'openCall.ts',
        protects: 'a holder notices that it was taken over',
        text: 'if (!over.signal.aborted) lost()',
      },
      {
        file: 'openCall.ts',
        protects: 'a retry of Lambda comes after the last sign of life',
        text: 'const ALIVE_MS = 30_000',
        without: 'const ALIVE_MS = 300_000',
      },
    ],
  },
  {
    room: 'tools/operator/dlq',
    tests: ['test/tools/cli/dlqLost'],
    protections: [
      {
        file: 'selectForRedrive.ts',
        protects: 'a dead letter whose record is gone stays where it is',
        text: "if (isLost && (isOfRun || options.records?.force !== true)) return 'lostRecord'",
      },
      {
        file: 'watch.ts',
        protects: 'a plan says of which dead letters this cannot be seen',
        text: 'return flow === undefined && consumer === undefined && wasAttempted(carried)',
        without: 'return false',
      },
    ],
  },
  {
    room: 'sweeper',
    tests: ['test/sweeper/sweep.test', 'test/sweeper/sendDelayed', 'test/features/delay/runs'],
    protections: [
      {
        file: 'due/listDue.ts',
        protects: 'runs that a stage’s brake holds back are not reported as late',
        text: "brake.lastIndexOf('.')",
        without: '-1',
      },
      {
        file: 'sweepItem.ts',
        protects: 'only an item that is still due is swept',
        text: "item?.['statusShard'] === undefined || Number(item['dueAt']) > sweeping.now",
        without: "item?.['statusShard'] === undefined",
      },
      {
        file: 'sweepItem.ts',
        protects: 'a step whose run has ended is not reminded',
        text: 'return waits ? resendTimeout',
        without: 'return true ? resendTimeout',
      },
      {
        file: 'sweepItem.ts',
        protects: 'a key is listed for a day after its holder has died',
        text: 'token.leaseUntil + FORGET_AFTER_MS > now',
        without: 'false',
      },
      {
        file: 'sendDelayed.ts',
        protects: 'a message is closed only when its queue has taken it',
        text: 'const closes = sent.map(',
        without: 'const closes = sends.map(',
      },
      {
        file: 'sendDue.ts',
        protects: 'a FIFO queue gets a message when it is due',
        text: 'rows.filter(({ queue, due }) => due <= now || !isFifo(queue))',
        without: 'rows.filter(() => true)',
      },
    ],
  },
  {
    room: 'sweeper/search',
    tests: [
      'test/sweeper/search/lost',
      'test/sweeper/search/stalled',
      'test/sweeper/search/search.test',
      'test/sweeper/search/keys.test',
    ],
    protections: [
      {
        file: 'lost.ts',
        protects: 'an attempt counts as lost only when its message should be back',
        text: 'leaseUntil + (after ?? Math.max(LEASES * lease, LEAST_MS))',
        without: 'leaseUntil',
      },
      {
        file: 'lost.ts',
        protects: 'an attempt that has written its end is not lost',
        text: '|| !endedSilently(token)',
      },
      {
        file: 'searchTable.ts',
        protects: 'the price of a search is limited',
        text: 'units < limits.readUnits &&',
      },
    ],
  },
]

export default rooms
