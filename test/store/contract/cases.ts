import type {
  Condition,
  Item,
  UserCondition,
  UserItem,
} from '../../../src/library/protocol/store/store.ts'

export const MIXED: Item = { a: 'new', d: 4, e: 5, f: new Set(['m']) }

export const EVERY_TYPE: Item = {
  text: 'größer 🚂   "quoted" \\ \'single\'',
  empty: '',
  whole: 1_780_000_000_123,
  largest: Number.MAX_SAFE_INTEGER,
  negative: -1,
  zero: 0,
  fraction: 0.1,
  yes: true,
  no: false,
  set: new Set(['a', 'b', '🚂']),
  status: 'reserved word',
}

export const TESTED: Item = { n: 5, s: 'm', yes: true, set: new Set(['a', 'bc']), empty: '' }

export const CONDITIONS: [Condition, boolean][] = [
  [{ exists: 'n' }, true],
  [{ exists: 'empty' }, true],
  [{ exists: 'nothing' }, false],
  [{ absent: 'nothing' }, true],
  [{ absent: 'n' }, false],
  [{ field: 'n', is: '=', value: 5 }, true],
  [{ field: 'n', is: '=', value: '5' }, false],
  [{ field: 'n', is: '<>', value: 4 }, true],
  [{ field: 'n', is: '<>', value: 5 }, false],
  [{ field: 'n', is: '<>', value: '5' }, true],
  [{ field: 'n', is: '<', value: 5 }, false],
  [{ field: 'n', is: '<', value: 5.5 }, true],
  [{ field: 'n', is: '<=', value: 5 }, true],
  [{ field: 'n', is: '>', value: 5 }, false],
  [{ field: 'n', is: '>', value: -5 }, true],
  [{ field: 'n', is: '>=', value: 5 }, true],
  [{ field: 'n', is: '>', value: 40 }, false],
  [{ field: 'n', is: '<', value: 'm' }, false],
  [{ field: 'n', is: '>', value: 'm' }, false],
  [{ field: 's', is: '<', value: 'n' }, true],
  [{ field: 's', is: '<', value: 'M' }, false],
  [{ field: 's', is: '>=', value: 'm' }, true],
  [{ field: 's', is: '<', value: 'ma' }, true],
  [{ field: 's', is: '<', value: 9 }, false],
  [{ field: 's', is: '>', value: 9 }, false],
  [{ field: 'yes', is: '=', value: true }, true],
  [{ field: 'yes', is: '=', value: false }, false],
  [{ field: 'yes', is: '<>', value: false }, true],
  [{ field: 'yes', is: '=', value: 'true' }, false],
  [{ field: 'nothing', is: '=', value: 1 }, false],
  [{ field: 'nothing', is: '<>', value: 1 }, true],
  [{ field: 'nothing', is: '<', value: 1 }, false],
  [{ field: 'nothing', is: '>=', value: 0 }, false],
  [{ field: 'set', is: '=', value: 'a' }, false],
  [{ field: 'set', is: '<>', value: 'a' }, true],
  [{ field: 'set', lacks: 'a' }, false],
  [{ field: 'set', lacks: 'b' }, true],
  [{ field: 'set', lacks: 'bc' }, false],
  [{ field: 'nothing', lacks: 'a' }, true],
  [{ field: 'set', members: 2 }, true],
  [{ field: 'set', members: 1 }, false],
  [{ field: 'nothing', members: 1 }, false],
  [{ field: 's', lacks: 'm' }, false],
  [{ field: 's', lacks: 'z' }, true],
  [{ field: 'n', lacks: '5' }, true],
  [{ all: [] }, true],
  [{ any: [] }, false],
  [{ all: [{ exists: 'n' }, { exists: 's' }] }, true],
  [{ all: [{ exists: 'n' }, { exists: 'nothing' }] }, false],
  [{ any: [{ exists: 'nothing' }, { exists: 's' }] }, true],
  [{ any: [{ exists: 'nothing' }, { absent: 's' }] }, false],
  [{ all: [{ any: [{ exists: 'nothing' }, { exists: 'n' }] }, { absent: 'nothing' }] }, true],
  [{ any: [{ all: [{ exists: 'nothing' }, { exists: 'n' }] }, { exists: 's' }] }, true],
  [{ all: [{ exists: 'nothing' }, { any: [{ exists: 'n' }, { exists: 's' }] }] }, false],
]

/** An own attribute of any name: a literal with `__proto__` would set the prototype instead. */
export function named(name: string): UserItem {
  return Object.fromEntries([[name, 'own']])
}

/** What TypeScript refuses and JavaScript lets through. */
export const UNSTORABLE: readonly UserItem[string][] = [
  new Date(0),
  () => 1,
  Symbol('a'),
  new Map(),
  new Set([true]),
  new Set([1, 'a']),
  new Set([undefined]),
  [undefined],
  new (class Money {
    readonly amount = 1
  })(),
].map((value) => value as unknown as UserItem[string])

export const USER_VALUES: UserItem = Object.fromEntries<UserItem[string]>([
  ['text', 'ä 🚂'],
  ['number', 1.5],
  ['huge', 123_456_789_012_345_678_901n],
  ['yes', true],
  ['nothing', null],
  ['bytes', new Uint8Array([0, 255, 1])],
  ['names', new Set(['a', 'b'])],
  ['numbers', new Set([1, 2.5])],
  ['list', [1, 'two', [null], { three: new Set(['x']) }]],
  [
    'map',
    Object.fromEntries([
      ['__proto__', 'inner'],
      ['constructor', 1],
    ]),
  ],
  ['constructor', 'own'],
  ['name with.dots and 🚂', 1],
  ['status', 'reserved word'],
])

export const USER_TESTED: UserItem = {
  n: 5,
  huge: 123_456_789_012_345_678_901n,
  s: 'm',
  bytes: new Uint8Array([1, 2]),
  names: new Set(['b', 'a']),
  numbers: new Set([2, 1]),
  list: [1, 'a'],
  map: { a: 1, b: { c: [true] } },
  nothing: null,
}

export const USER_CONDITIONS: [UserCondition, boolean][] = [
  [{ exists: 'nothing' }, true],
  [{ absent: 'missing' }, true],
  [{ exists: '__proto__' }, false],
  [{ absent: 'constructor' }, true],
  [{ field: 'n', is: '<', value: 6 }, true],
  [{ field: 'missing', is: '<>', value: 6 }, true],
  [{ field: 'bytes', is: '=', value: new Uint8Array([1, 2]) }, true],
  [{ field: 'bytes', is: '<', value: new Uint8Array([1, 3]) }, true],
  [{ field: 'bytes', is: '<', value: new Uint8Array([1]) }, false],
  [{ field: 'bytes', is: '=', value: 'AQI=' }, false],
  [{ field: 'names', is: '=', value: new Set(['a', 'b']) }, true],
  [{ field: 'names', is: '=', value: new Set(['a']) }, false],
  [{ field: 'names', is: '<>', value: new Set(['a']) }, true],
  [{ field: 'numbers', is: '=', value: new Set([1, 2]) }, true],
  [{ field: 'list', is: '=', value: [1, 'a'] }, true],
  [{ field: 'list', is: '=', value: ['a', 1] }, false],
  [{ field: 'map', is: '=', value: { b: { c: [true] }, a: 1 } }, true],
  [{ field: 'map', is: '<>', value: { a: 1 } }, true],
  [{ field: 'nothing', is: '=', value: null }, true],
  [{ field: 'nothing', is: '=', value: false }, false],
  [{ all: [{ exists: 'n' }, { any: [{ exists: 'missing' }, { exists: 's' }] }] }, true],
  [{ any: [] }, false],
]
