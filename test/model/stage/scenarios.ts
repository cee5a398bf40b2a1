import { digestOf } from '../../../src/stage/version.ts'
import type { Item } from '../../../src/store/store.ts'
import { type Request, type Scenario, scenario, type Step } from './scenario.ts'

const X: Request = { uid: 'X', sentAt: 1 }
const Y: Request = { uid: 'Y', sentAt: 2 }
const Z: Request = { uid: 'Z', sentAt: 3 }
/** Sent twice, or handed out twice by SNS. */
const XX: Request = { ...X, copies: 2 }
const YY: Request = { ...Y, copies: 2 }
/** In the same millisecond as X: the id decides. */
const W: Request = { uid: 'W', sentAt: 1 }

const ONE: Readonly<Record<string, readonly Step[]>> = { A: [{ effect: 'a' }] }
const THREE: Readonly<Record<string, readonly Step[]>> = {
  A: [{ effect: 'a' }, { send: 'B' }],
  B: [{ send: 'C' }],
  C: [{ effect: 'c' }],
}
/** A passes on to two stages: the run ends with the later of them. */
const FORK: Readonly<Record<string, readonly Step[]>> = {
  A: [{ send: 'B' }, { send: 'C' }],
  B: [{ effect: 'b' }],
  C: [{ effect: 'c' }],
}
/** Two stages pass on to one. */
const DIAMOND: Readonly<Record<string, readonly Step[]>> = {
  A: [{ send: 'B' }, { send: 'C' }],
  B: [{ send: 'D' }],
  C: [{ send: 'D' }],
  D: [{ effect: 'd' }],
}
/** Each stage overwrites the same object. */
const WRITES: Readonly<Record<string, readonly Step[]>> = {
  A: [{ put: 'object' }, { send: 'B' }],
  B: [{ put: 'object' }],
}
const ASKS: Readonly<Record<string, readonly Step[]>> = {
  A: [{ awaits: 'found', ids: ['e1'], need: 1 }, { put: 'object' }],
  found: [{ put: 'object' }],
}
const CALLS: Readonly<Record<string, readonly Step[]>> = {
  A: [{ call: 'pay', as: 'once' }, { effect: 'a' }],
}
const IDEMPOTENT: Readonly<Record<string, readonly Step[]>> = {
  A: [{ call: 'pay', as: 'idempotent' }, { effect: 'a' }],
}
const AWAITS: Readonly<Record<string, readonly Step[]>> = {
  A: [{ awaits: 'found', ids: ['e1'], need: 1 }],
  found: [{ effect: 'f' }],
}
const JOINS: Readonly<Record<string, readonly Step[]>> = {
  A: [{ awaits: 'found', ids: ['e1', 'e2'], need: 2 }],
  found: [{ effect: 'f' }],
}
const TWO_OF_THREE: Readonly<Record<string, readonly Step[]>> = {
  A: [{ awaits: 'found', ids: ['e1', 'e2', 'e3'], need: 2 }],
  found: [{ effect: 'f' }],
}
const ANY: Readonly<Record<string, readonly Step[]>> = {
  A: [{ awaits: 'found', ids: ['e1', 'e2'], need: 1 }],
  found: [{ effect: 'f' }],
}

/** A record whose ring has room for so many more, as requests before have left it. */
function ringWith(room: number): Item {
  const ended = Array.from({ length: 8 - room }, (_, index) => `${digestOf(`before ${index}`)}c`)
  return { epoch: 7, fence: 7, newest: '000000000000000#before', ended: ended.join('') }
}

const newest = { order: 'newest' } as const
const every = { order: 'every' } as const

/** The table of the specification, in its order, and then what it left open. */
export const SCENARIOS: readonly Scenario[] = [
  scenario({ name: 'newest drop', ...newest, onConflict: 'drop', requests: [XX, Y] }),
  scenario({ name: 'newest defer', ...newest, onConflict: 'defer', requests: [XX, Y] }),
  scenario({ name: 'newest supersede', ...newest, onConflict: 'supersede', requests: [XX, Y] }),
  scenario({
    name: 'newest supersede, equal sentAt',
    ...newest,
    onConflict: 'supersede',
    requests: [X, W],
  }),
  scenario({
    name: 'newest coalesce, 3 requests',
    ...newest,
    onConflict: 'coalesce',
    requests: [X, Y, Z],
  }),
  scenario({
    name: 'handler errors, drop',
    ...newest,
    onConflict: 'drop',
    requests: [X, Y],
    errors: 1,
  }),
  scenario({
    name: 'one request, errors',
    ...newest,
    onConflict: 'defer',
    requests: [XX],
    errors: 2,
  }),
  scenario({
    name: 'outside reset, supersede',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    resets: 1,
  }),
  scenario({
    name: 'dead-letter and redrive',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    errors: 2,
    redrives: 2,
  }),
  scenario({
    name: 'every defer, 3 requests',
    ...every,
    onConflict: 'defer',
    requests: [X, Y, Z],
    record: ringWith(1),
    stages: ONE,
  }),
  scenario({
    name: 'every drop',
    ...every,
    onConflict: 'drop',
    requests: [XX, Y],
    record: ringWith(1),
    stages: ONE,
  }),
  scenario({
    name: 'newest drop, 3 requests',
    ...newest,
    onConflict: 'drop',
    requests: [X, Y, Z],
    stages: ONE,
  }),
  scenario({
    name: 'newest defer, older one late',
    ...newest,
    onConflict: 'defer',
    requests: [X, YY],
    stages: ONE,
  }),
  scenario({
    name: 'newest supersede, 3 requests',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y, Z],
    stages: ONE,
  }),
  scenario({ name: 'newest coalesce', ...newest, onConflict: 'coalesce', requests: [XX, Y] }),
  scenario({
    name: 'handler errors, supersede',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    errors: 1,
  }),
  scenario({
    name: 'three invocations at once',
    ...newest,
    onConflict: 'defer',
    requests: [XX, Y],
    invocations: 3,
  }),
  scenario({
    name: 'outside reset, defer, duplicates',
    ...newest,
    onConflict: 'defer',
    requests: [XX, Y],
    resets: 1,
  }),
  scenario({
    name: 'dead-letter and redrive, 2 requests',
    ...newest,
    onConflict: 'defer',
    requests: [X, Y],
    errors: 2,
    redrives: 1,
    faults: 0,
  }),
  scenario({
    name: 'every defer, ring full',
    ...every,
    onConflict: 'defer',
    requests: [XX, Y],
    record: ringWith(0),
    stages: ONE,
  }),
  scenario({
    name: 'every defer, outside reset',
    ...every,
    onConflict: 'defer',
    requests: [XX, Y],
    record: ringWith(1),
    stages: ONE,
    resets: 1,
  }),
  scenario({
    name: 'newest defer, older one late, 2 faults',
    ...newest,
    onConflict: 'defer',
    requests: [X, Y],
    faults: 2,
    stages: ONE,
  }),
  scenario({
    name: 'dead-letter and redrive, 2 faults',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    errors: 2,
    redrives: 2,
    faults: 2,
    stages: ONE,
  }),
  scenario({
    name: 'newest supersede, equal sentAt, 2 faults',
    ...newest,
    onConflict: 'supersede',
    requests: [X, W],
    faults: 2,
    stages: ONE,
  }),
  scenario({
    name: 'one request, errors, 2 faults',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    errors: 2,
    faults: 2,
  }),
  scenario({
    name: 'every defer, late duplicates of the forgotten',
    ...every,
    onConflict: 'defer',
    requests: [XX, Y],
    record: ringWith(1),
    stages: ONE,
    faults: 2,
  }),
  scenario({
    name: 'every, dead-letter and redrive',
    ...every,
    onConflict: 'defer',
    requests: [X, Y],
    record: ringWith(1),
    stages: ONE,
    errors: 2,
    redrives: 2,
  }),
  scenario({ name: 'three stages', ...newest, onConflict: 'defer', requests: [XX], stages: THREE }),
  scenario({
    name: 'three stages, supersede',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    stages: THREE,
  }),
  scenario({ name: 'fork and join', ...newest, onConflict: 'defer', requests: [XX], stages: FORK }),
  scenario({
    name: 'fork and join, 3 invocations',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: FORK,
    invocations: 3,
  }),
  scenario({
    name: 'fork, one branch dies, redrive',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: FORK,
    errors: 2,
    redrives: 1,
  }),
  scenario({ name: 'diamond', ...newest, onConflict: 'defer', requests: [X], stages: DIAMOND }),
  scenario({
    name: 'outside call once',
    ...newest,
    onConflict: 'defer',
    requests: [XX],
    stages: CALLS,
  }),
  scenario({
    name: 'outside call once, 2 faults',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    stages: CALLS,
    faults: 2,
  }),
  scenario({
    name: 'outside call idempotent, errors',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: IDEMPOTENT,
    errors: 1,
  }),
  scenario({
    name: 'retry with notBefore, defer',
    ...newest,
    onConflict: 'defer',
    requests: [X, Y],
    stages: ONE,
    errors: 2,
  }),
  scenario({
    name: 'sweeper against a live attempt',
    ...newest,
    onConflict: 'defer',
    requests: [X, Y],
    stages: ONE,
    ages: 2,
    faults: 2,
  }),
  scenario({
    name: 'sweeper and redrive',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    ages: 2,
    redrives: 1,
    errors: 2,
  }),
  scenario({
    name: 'awaits one answer',
    ...newest,
    onConflict: 'defer',
    requests: [XX],
    stages: AWAITS,
    answers: 2,
  }),
  scenario({
    name: 'awaits, the answers contradict',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: AWAITS,
    answers: 2,
    contradicts: true,
  }),
  scenario({
    name: 'awaits, a Complete against a reset',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    stages: AWAITS,
    answers: 1,
    resets: 1,
  }),
  scenario({
    name: 'awaits, supersede',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    stages: AWAITS,
    answers: 2,
  }),
  scenario({
    name: 'awaits all of two',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: JOINS,
    answers: 1,
  }),
  scenario({
    name: 'awaits all of two, twice answered',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: JOINS,
    answers: 2,
  }),
  scenario({
    name: 'awaits any of two',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: ANY,
    answers: 1,
  }),
  scenario({
    name: 'awaits, silence and timeout',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: AWAITS,
    silent: true,
    timeouts: 2,
  }),
  scenario({
    name: 'awaits, dies and is redriven',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: AWAITS,
    errors: 2,
    redrives: 2,
  }),
  scenario({
    name: 'stages overwrite one object',
    ...newest,
    onConflict: 'defer',
    requests: [XX],
    stages: WRITES,
    errors: 1,
  }),
  scenario({
    name: 'stages overwrite one object, dead-letter and redrive',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    stages: WRITES,
    errors: 2,
    redrives: 1,
  }),
  scenario({
    name: 'stages overwrite one object, both redriven',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: WRITES,
    errors: 2,
    redrives: 2,
  }),
  scenario({
    name: 'an answer before its asker has settled',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: ASKS,
  }),
  scenario({
    name: 'a payload is refused, and redriven',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: WRITES,
    refuses: 'B',
    redrives: 2,
  }),
  scenario({
    name: 'outside call once, dies unknown and is redriven',
    ...newest,
    onConflict: 'defer',
    requests: [XX],
    stages: CALLS,
    redrives: 1,
  }),
  scenario({
    name: 'awaits 2 of 3',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: TWO_OF_THREE,
  }),
  scenario({
    name: 'awaits any of two, 2 faults',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: ANY,
    faults: 2,
  }),
  scenario({
    name: 'awaits, the timeout against an answer',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: AWAITS,
    timeouts: 1,
  }),
  scenario({
    name: 'awaits all of two, the timeout against an answer',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: JOINS,
    timeouts: 1,
  }),
  scenario({
    name: 'newest defer, one stage, 2 faults, duplicates',
    ...newest,
    onConflict: 'defer',
    requests: [XX, Y],
    stages: ONE,
    faults: 2,
  }),
  scenario({
    name: 'newest supersede, one stage, 2 faults',
    ...newest,
    onConflict: 'supersede',
    requests: [XX, Y],
    stages: ONE,
    faults: 2,
  }),
  scenario({
    name: 'newest coalesce, one stage, 2 faults',
    ...newest,
    onConflict: 'coalesce',
    requests: [X, Y],
    stages: ONE,
    faults: 2,
  }),
  scenario({
    name: 'every defer, 2 faults',
    ...every,
    onConflict: 'defer',
    requests: [X, Y],
    record: ringWith(1),
    stages: ONE,
    faults: 2,
  }),
  scenario({
    name: 'fork and join, 2 faults',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: FORK,
    faults: 2,
  }),
  scenario({
    name: 'fork, a message outlives the run that sent it',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: FORK,
    refuses: 'C',
    redrives: 1,
    invocations: 1,
  }),
  scenario({
    name: 'awaits beside a stage that dies and is redriven',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: {
      A: [{ awaits: 'found', ids: ['e1'], need: 1 }, { send: 'C' }],
      found: [{ effect: 'f' }],
      C: [{ effect: 'c' }],
    },
    refuses: 'C',
    redrives: 1,
    invocations: 1,
  }),
]
