import { type Request, type Scenario, scenario } from './scenario.ts'

const X: Request = { uid: 'X', sentAt: 1 }
const XX: Request = { ...X, copies: 2 }
const Y: Request = { uid: 'Y', sentAt: 2 }
/** A refused claim is a delivery more. */
const unread = { process: 'newest', unread: true, deliveries: 3 } as const

/** First deliveries try to claim before they read the record. */
export const UNREAD_SCENARIOS: readonly Scenario[] = [
  scenario({ name: 'unread: defer', ...unread, onConflict: 'defer', requests: [XX, Y] }),
  scenario({ name: 'unread: supersede', ...unread, onConflict: 'supersede', requests: [X, Y] }),
  scenario({
    name: 'unread: every, defer',
    ...unread,
    process: 'every',
    onConflict: 'defer',
    requests: [XX, Y],
  }),
  scenario({
    name: 'unread: three stages',
    ...unread,
    onConflict: 'defer',
    requests: [X],
    stages: {
      A: [{ effect: 'a' }, { send: 'B' }],
      B: [{ effect: 'b' }, { send: 'C' }],
      C: [{ effect: 'c' }],
    },
  }),
  scenario({
    name: 'unread: two stages send to one',
    ...unread,
    onConflict: 'defer',
    requests: [X],
    stages: {
      A: [{ send: 'B' }, { send: 'C' }],
      B: [{ send: 'D' }],
      C: [{ send: 'D' }],
      D: [{ effect: 'd' }],
    },
  }),
  scenario({
    name: 'unread: handler errors',
    ...unread,
    onConflict: 'defer',
    requests: [X],
    errors: 1,
  }),
  scenario({
    name: 'unread: stages overwrite one object',
    ...unread,
    onConflict: 'defer',
    requests: [XX],
    stages: { A: [{ late: 'object' }, { send: 'B' }], B: [{ effect: 'object' }] },
    errors: 1,
  }),
  scenario({
    name: 'unread: outside reset',
    ...unread,
    onConflict: 'supersede',
    requests: [X, Y],
    resets: 1,
  }),
  scenario({
    name: 'unread: forged message',
    ...unread,
    onConflict: 'defer',
    requests: [X],
    forges: 1,
  }),
  scenario({
    name: 'unread: out of time',
    ...unread,
    onConflict: 'defer',
    requests: [X, Y],
    ages: 2,
    redrives: 1,
    errors: 1,
    maxAttempts: 1,
  }),
]
