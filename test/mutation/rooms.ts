/** A part of the source without I/O, and the tests that say what it does. Globs; all without sockets, and done in a second. */
export interface Room {
  readonly name: string
  readonly source: readonly string[]
  readonly tests: readonly string[]
}

export const ROOMS: readonly Room[] = [
  { name: 'message', source: ['src/message/*.ts'], tests: ['test/message/*.test.ts'] },
  {
    name: 'lock',
    source: ['src/lock/{decideClaim,claimWrites,settleWrites,token,lease}.ts'],
    tests: ['test/lock/*.test.ts'],
  },
  { name: 'stage', source: ['src/stage/*.ts'], tests: ['test/stage/*.test.ts'] },
  { name: 'awaiting', source: ['src/awaiting/*.ts'], tests: ['test/awaiting/*.test.ts'] },
  { name: 'retry', source: ['src/retry/*.ts'], tests: ['test/retry/*.test.ts'] },
  { name: 'guard', source: ['src/guard/*.ts'], tests: ['test/guard/*.test.ts'] },
  {
    name: 'envelope',
    source: ['src/envelope/*.ts'],
    tests: ['test/envelope/{words,flow,attributes,carried,readEnvelope,outgoing}.test.ts'],
  },
  { name: 'metrics', source: ['src/metrics/*.ts'], tests: ['test/metrics/*.test.ts'] },
  {
    name: 'keys',
    source: ['src/keys/{expression,fingerprint,classify,readKey,scope}.ts', 'src/keys/http/*.ts'],
    tests: ['test/keys/{parts,classify,answers}.test.ts'],
  },
  {
    name: 'common',
    source: ['src/{duration,isoTime,errors,ids}.ts'],
    tests: [
      'test/retry/{duration,errors}.test.ts',
      'test/lock/isoTime.test.ts',
      'test/stage/ids.test.ts',
    ],
  },
]
