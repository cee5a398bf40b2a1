/** A part of the source without I/O, and its tests. Globs; all without sockets, and done in a second. */
export interface Room {
  readonly name: string
  readonly source: readonly string[]
  readonly tests: readonly string[]
}

export const ROOMS: readonly Room[] = [
  {
    name: 'message',
    source: ['src/record/message/*.ts'],
    tests: ['test/record/message/*.test.ts'],
  },
  {
    name: 'lock',
    source: [
      'src/claim/token/{decideClaim,claimWrites,markWrites,retryWrites,settleWrites,token}.ts',
      'src/claim/lease.ts',
    ],
    tests: ['test/claim/token/*.test.ts'],
  },
  { name: 'stage', source: ['src/claim/stage/*.ts'], tests: ['test/claim/stage/*.test.ts'] },
  {
    name: 'awaiting',
    source: ['src/claim/awaiting/*.ts'],
    tests: ['test/claim/awaiting/*.test.ts'],
  },
  {
    name: 'retry',
    source: ['src/send/{policy,transport}.ts'],
    tests: ['test/send/retry/*.test.ts'],
  },
  { name: 'guard', source: ['src/context/guard/*.ts'], tests: ['test/context/guard/*.test.ts'] },
  {
    name: 'envelope',
    source: ['src/record/envelope/*.ts'],
    tests: ['test/record/envelope/{words,flow,attributes,carried,readEnvelope,outgoing}.test.ts'],
  },
  {
    name: 'metrics',
    source: ['src/features/metrics/*.ts'],
    tests: ['test/features/metrics/*.test.ts'],
  },
  {
    name: 'keys',
    source: [
      'src/call/{expression,fingerprint,classify,readKey,keyNames}.ts',
      'src/call/http/*.ts',
    ],
    tests: ['test/call/{parts,classify,answers}.test.ts'],
  },
  {
    name: 'common',
    source: ['src/{duration,parseDuration,isoTime,errors,ids,sortableId}.ts'],
    tests: [
      'test/send/retry/{duration,errors}.test.ts',
      'test/claim/token/isoTime.test.ts',
      'test/claim/stage/ids.test.ts',
    ],
  },
  {
    name: 'sql',
    source: ['src/features/sql/{gate,keys,plainResult,tables,transact,whyFailed}.ts'],
    tests: ['test/features/sql/{model,parts,transact}.test.ts'],
  },
]
