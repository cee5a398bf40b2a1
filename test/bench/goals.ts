/** A figure of a part, and the most that it may be. */
export interface Goal {
  readonly part: string
  readonly figure: string
  readonly atMost: number
}

/** Ratios are to another peer in the same run, so that they hold on other machines. */
export const GOALS: readonly Goal[] = [
  ...goals('counts', {
    'requests per record, unique, batch of 10': 0.2,
    'requests per record, unique, batch of 100': 0.08,
    'requests per record, replayed, batch of 100': 0.01,
    'write units per record, unique, batch of 100': 2,
    'write units per record, replayed, batch of 100': 0,
    'requests for a record with one write of its own': 1,
    'write units for a record with one write of its own': 4,
  }),
  ...goals('flows', {
    'write units of a flow of three stages': 6,
    'requests of a flow, batch of 1': 6,
    'requests of a flow, batch of 10': 0.6,
    'requests of a flow, batch of 100': 0.24,
    'write units that one `call` adds': 2,
  }),
  ...goals('seconds', {
    'requests per record, after a failure, batch of 10': 0.3,
    'requests per record, after a failure, batch of 100': 0.11,
  }),
  ...goals('size', {
    'recordHandler in one file, minified KB': 155,
    'recordHandler in one file, gzipped KB': 56,
    'recordHandler before the first record, minified KB': 100,
    'recordHandler before the first record, gzipped KB': 39,
    'defineFlow in one file, minified KB': 225,
    'defineFlow in one file, gzipped KB': 80,
    'idempotent in one file, minified KB': 80,
    'idempotent in one file, gzipped KB': 29,
  }),
  ...goals('cpu', {
    'CPU against the raw loop, unique, batch of 1': 0.7,
    'CPU against the raw loop, unique, batch of 10': 0.14,
    'CPU against the raw loop, unique, batch of 100': 0.075,
    'CPU against the raw loop, unique, batch of 1,000': 0.065,
    'CPU against the raw loop, replayed, batch of 1': 0.5,
    'CPU against the raw loop, replayed, batch of 10': 0.16,
    'CPU against the raw loop, replayed, batch of 100': 0.07,
    'CPU against the raw loop, half replayed, batch of 10': 0.28,
    'CPU against the raw loop, half replayed, batch of 100': 0.1,
    'CPU with a client of the user’s against the raw loop, unique, batch of 1': 1,
    'CPU with a client of the user’s against the raw loop, unique, batch of 10': 0.2,
    'CPU with a client of the user’s against the raw loop, unique, batch of 100': 0.12,
    'CPU with a client of the user’s against the raw loop, replayed, batch of 1': 0.7,
    'CPU with a client of the user’s against the raw loop, replayed, batch of 10': 0.2,
    'CPU with a client of the user’s against the raw loop, replayed, batch of 100': 0.1,
  }),
  ...goals('wall', {
    'time against Powertools, batch of 10': 0.62,
    'time against Powertools, batch of 100': 0.14,
    'time against Powertools, batch of 1,000': 0.08,
  }),
  ...goals('slow', {
    'slow handlers against them alone, 100 of 20 ms, 10 at once': 1.1,
    'slow handlers against them alone, 100 of 5 ms, one by one': 1.1,
  }),
  ...goals('cold', {
    'CPU of a cold start against Powertools, 1 record': 0.65,
    'CPU of a cold start against Powertools, 10 records': 0.42,
    'CPU of a cold start against Powertools, 100 records': 0.2,
    'CPU of a cold start against Powertools, 1 record, CommonJS': 0.65,
    'CPU of a cold start against Powertools, 10 records, CommonJS': 0.45,
    'CPU of a cold start against Powertools, 100 records, CommonJS': 0.2,
  }),
  ...goals('installed', { 'loading from node_modules, above the SDK, against Powertools': 1 }),
  ...goals('memory', { 'memory of 10,000 records against Powertools': 0.12 }),
  ...goals('scale', {
    'growth of CPU per record, from each batch size to one ten times as large': 1.1,
    'requests and units, a million items against none': 1.1,
    'requests and units of a flow, one key against 1,000': 1.1,
  }),
  ...goals('operate', {
    'seconds of lineclear status, 100,000 items and 10,000 letters': 10,
    'MB of lineclear status, 100,000 items and 10,000 letters, above empty ones': 30,
  }),
]

function goals(part: string, most: Readonly<Record<string, number>>): readonly Goal[] {
  return Object.entries(most).map(([figure, atMost]) => ({ part, figure, atMost }))
}
