import fc from 'fast-check'

/** A request for a table with the key `pk` (text) and `sk` (number), and the index `byGroup` of `g` (text) and `n` (number). */
export interface Step {
  readonly operation: string
  readonly request: (TableName: string) => object
}

export const tableInput = {
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'N' },
    { AttributeName: 'g', AttributeType: 'S' },
    { AttributeName: 'n', AttributeType: 'N' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byGroup',
      KeySchema: [
        { AttributeName: 'g', KeyType: 'HASH' },
        { AttributeName: 'n', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['a', 'm'] },
    },
  ],
}

/** Few keys, names and values, so that steps collide. */
const number = fc.constantFrom(
  '0',
  '1',
  '2',
  '-1.5',
  '10',
  '1e2',
  '0.1',
  '9007199254740993',
  '1E-30',
)
const text = fc.constantFrom('x', 'xy', 'y', 'ä', '🚂', '\u{FFFD}')
const bytes = fc.constantFrom('AA==', 'AAE=', '/w==')
const set = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.uniqueArray(one, { minLength: 1, maxLength: 2 })
const S = text.map((S) => ({ S }))
const N = number.map((N) => ({ N }))
const B = bytes.map((B) => ({ B }))
const SS = set(text).map((SS) => ({ SS }))
const NS = set(fc.constantFrom('1', '2', '2.5')).map((NS) => ({ NS }))
const BS = set(bytes).map((BS) => ({ BS }))
const BOOL = fc.boolean().map((BOOL) => ({ BOOL }))
const leaf = fc.oneof(S, N, B, SS, NS, BS, BOOL, fc.constant({ NULL: true }))
const L = fc.array(fc.oneof(S, N), { maxLength: 3 }).map((L) => ({ L }))
const M = fc
  .dictionary(fc.constantFrom('x', 'y'), fc.oneof(S, N, L), { maxKeys: 2 })
  .map((M) => ({ M }))
const value = fc.oneof({ weight: 4, arbitrary: leaf }, L, M)
const key = fc.record({
  pk: fc.constantFrom('p', 'q').map((S) => ({ S })),
  sk: fc.constantFrom('1', '2', '10').map((N) => ({ N })),
})
const item = fc
  .tuple(
    key,
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 3 }),
    fc.record({ g: S, n: N, m: M, l: L }, { requiredKeys: [] }),
  )
  .map(([own, some, more]) => ({ ...some, ...more, ...own }))

/** A text, with the values that it names. */
interface Expression {
  readonly text: string
  readonly values: Readonly<Record<string, object>>
}

let placeholders = 0

function expression(
  text: (...names: string[]) => string,
  ...values: readonly object[]
): Expression {
  const names = values.map(() => `:v${placeholders++}`)
  const entries = names.map((name, nth) => [name, values[nth] ?? {}])
  return { text: text(...names), values: Object.fromEntries(entries) as Record<string, object> }
}

const path = fc.constantFrom('a', 'b', 'c', 'g', 'n', 'm.x', 'm.y', 'l[0]', 'm.x[1]', 'nowhere')
const ordered = fc.oneof(S, N, B)

const simple: fc.Arbitrary<Expression> = fc.oneof(
  fc
    .tuple(fc.constantFrom('attribute_exists', 'attribute_not_exists'), path)
    .map(([name, at]) => expression(() => `${name}(${at})`)),
  fc
    .tuple(path, fc.constantFrom('S', 'N', 'L', 'M', 'SS', 'BOOL', 'NULL'))
    .map(([at, type]) => expression((v) => `attribute_type(${at}, ${v})`, { S: type })),
  fc
    .tuple(path, fc.oneof(S, B))
    .map(([at, start]) => expression((v) => `begins_with(${at}, ${v})`, start)),
  fc
    .tuple(path, fc.oneof(S, N, B))
    .map(([at, one]) => expression((v) => `contains(${at}, ${v})`, one)),
  fc
    .tuple(path, fc.constantFrom('0', '1', '2'))
    .map(([at, N]) => expression((v) => `size(${at}) > ${v}`, { N })),
  fc
    .tuple(path, fc.constantFrom('=', '<>'), value)
    .map(([at, sign, one]) => expression((v) => `${at} ${sign} ${v}`, one)),
  fc
    .tuple(path, fc.constantFrom('<', '<=', '>', '>='), ordered)
    .map(([at, sign, one]) => expression((v) => `${at} ${sign} ${v}`, one)),
  fc
    .tuple(path, fc.constantFrom('=', '<'), path)
    .filter(([one, , other]) => one !== other)
    .map(([one, sign, other]) => expression(() => `${one} ${sign} ${other}`)),
  fc
    .tuple(path, ordered, ordered)
    .map(([at, one, other]) => expression((v, w) => `${at} IN (${v}, ${w})`, one, other)),
  path.map((at) => expression((v, w) => `${at} BETWEEN ${v} AND ${w}`, { N: '0' }, { N: '2' })),
)

const { condition } = fc.letrec<{ condition: Expression; joined: Expression }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    simple,
    simple.map(({ text, values }) => ({ text: `NOT ${text}`, values })),
    tie('joined'),
  ),
  joined: fc
    .tuple(tie('condition'), fc.constantFrom('AND', 'OR'), simple)
    .map(([one, word, other]) => ({
      text: `${one.text} ${word} ${other.text}`,
      values: { ...one.values, ...other.values },
    })),
}))

const assigned = fc.oneof(
  fc
    .tuple(fc.constantFrom('a', 'b', 'c', 'm.x'), value)
    .map(([at, to]) => expression((v) => `${at} = ${v}`, to)),
  fc.tuple(fc.constantFrom('g'), S).map(([at, to]) => expression((v) => `${at} = ${v}`, to)),
  fc
    .tuple(fc.constantFrom('+', '-'), fc.constantFrom('1', '0.1', '1e30'))
    .map(([sign, N]) =>
      expression((v, w) => `n = if_not_exists(n, ${v}) ${sign} ${w}`, { N: '5' }, { N }),
    ),
  L.map((more) =>
    expression((v, w) => `l = list_append(if_not_exists(l, ${v}), ${w})`, { L: [] }, more),
  ),
  fc.constant(expression(() => 'b = a')),
)
const added = fc.oneof(
  fc.tuple(fc.constantFrom('c', 'n'), N).map(([at, more]) => expression((v) => `${at} ${v}`, more)),
  fc.oneof(SS, NS, BS).map((more) => expression((v) => `c ${v}`, more)),
)
const deleted = fc.oneof(SS, NS, BS).map((less) => expression((v) => `c ${v}`, less))
const removed = fc.constantFrom('a', 'b', 'c', 'g', 'n').map((at) => expression(() => at))

/** Each attribute once: of paths that overlap the native engine refuses some only. */
const change: fc.Arbitrary<Expression> = fc
  .record(
    {
      SET: fc.array(assigned, { minLength: 1, maxLength: 2 }),
      REMOVE: fc.array(removed, { minLength: 1, maxLength: 2 }),
      ADD: added.map((one) => [one]),
      DELETE: deleted.map((one) => [one]),
    },
    { requiredKeys: [] },
  )
  .filter((sections) => {
    const names = Object.values(sections).flatMap((all) =>
      all.map(({ text }) => /^\w+/.exec(text)?.[0]),
    )
    return names.length > 0 && new Set(names).size === names.length
  })
  .map((sections) => {
    const entries = Object.entries(sections)
    return {
      text: entries
        .map(([word, all]) => `${word} ${all.map(({ text }) => text).join(', ')}`)
        .join(' '),
      values: Object.assign(
        {},
        ...entries.flatMap(([, all]) => all.map(({ values }) => values)),
      ) as object as Expression['values'],
    }
  })

function withTexts(texts: Readonly<Record<string, Expression | undefined>>): object {
  const given = Object.entries(texts).filter(([, one]) => one !== undefined)
  const values = Object.assign({}, ...given.map(([, one]) => one?.values)) as object
  return {
    ...Object.fromEntries(given.map(([member, one]) => [member, one?.text])),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  }
}

const maybe = fc.option(condition, { nil: undefined })
const shown = fc.constantFrom({}, { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })

const put = fc.tuple(item, maybe, shown).map(([Item, when, show]) => ({
  Item,
  ...show,
  ...withTexts({ ConditionExpression: when }),
}))
/** The native engine makes an item of what only removes: missingItem.test.ts. */
function ofWhatIsThere(to: Expression, when: Expression | undefined): Expression | undefined {
  if (/SET |ADD /.test(to.text)) return when
  const text = 'attribute_exists(pk)'
  return when ? { ...when, text: `${text} AND (${when.text})` } : { text, values: {} }
}

const update = fc.tuple(key, change, maybe, shown).map(([Key, to, when, show]) => ({
  Key,
  ...show,
  ...withTexts({ UpdateExpression: to, ConditionExpression: ofWhatIsThere(to, when) }),
}))
const deletion = fc.tuple(key, maybe, shown).map(([Key, when, show]) => ({
  Key,
  ...show,
  ...withTexts({ ConditionExpression: when }),
}))
const check = fc.tuple(key, condition, shown).map(([Key, when, show]) => ({
  Key,
  ...show,
  ...withTexts({ ConditionExpression: when }),
}))

const action = fc.oneof(
  put.map((Put) => ({ Put })),
  update.map((Update) => ({ Update })),
  deletion.map((Delete) => ({ Delete })),
  check.map((ConditionCheck) => ({ ConditionCheck })),
)

const old = fc.constantFrom('NONE', 'ALL_OLD')
const projection = fc.option(fc.constantFrom('a', 'a, m.x', 'pk, l[0], c', 'm'), { nil: undefined })
interface Bound {
  readonly sign: string
  readonly values: readonly object[]
}
const range: fc.Arbitrary<Bound | undefined> = fc.oneof(
  fc.constant(undefined),
  fc
    .tuple(fc.constantFrom('=', '<', '<=', '>', '>='), N)
    .map(([sign, N]) => ({ sign, values: [N] })),
  fc.constant({ sign: 'BETWEEN', values: [{ N: '0' }, { N: '2' }] }),
)

function keyCondition(
  hash: string,
  sort: string,
  own: object,
  bound: Bound | undefined,
): Expression {
  if (bound === undefined) return expression((v) => `${hash} = ${v}`, own)
  const [one = {}, other] = bound.values
  if (other === undefined) {
    return expression((v, w) => `${hash} = ${v} AND ${sort} ${bound.sign} ${w}`, own, one)
  }
  return expression(
    (v, w, x) => `${hash} = ${v} AND ${sort} BETWEEN ${w} AND ${x}`,
    own,
    one,
    other,
  )
}

const filtered = fc.option(
  fc
    .tuple(fc.constantFrom('a', 'm.x'), value)
    .map(([at, one]) => expression((v) => `${at} <> ${v}`, one)),
  { nil: undefined },
)
const query = fc
  .tuple(
    fc.boolean(),
    key,
    S,
    range,
    filtered,
    fc.boolean(),
    fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    projection,
  )
  .map(
    ([
      isIndex,
      { pk },
      g,
      bound,
      FilterExpression,
      ScanIndexForward,
      Limit,
      ProjectionExpression,
    ]) => ({
      ...(isIndex && { IndexName: 'byGroup' }),
      ScanIndexForward,
      // Which of equal keys of an index come first is left open.
      ...(!isIndex && { Limit, ProjectionExpression }),
      ...withTexts({
        KeyConditionExpression: isIndex
          ? keyCondition('g', 'n', g, bound)
          : keyCondition('pk', 'sk', pk, bound),
        FilterExpression,
      }),
    }),
  )

const plain = fc.oneof(S, N, SS)
const statement = fc.oneof(
  fc.tuple(key, plain).map(([{ pk, sk }, a]) => (name: string) => ({
    Statement: `INSERT INTO "${name}" VALUE {'pk':?,'sk':?,'a':?}`,
    Parameters: [pk, sk, a],
  })),
  fc
    .tuple(
      key,
      plain,
      fc.constantFrom('"a"=?', '"a" IS MISSING AND "b"<>?', '("b" IS NOT MISSING OR "a"<>?)'),
      ordered,
      fc.constantFrom('', ' RETURNING ALL NEW *'),
    )
    .map(([{ pk, sk }, b, where, one, returning]) => (name: string) => ({
      Statement: `UPDATE "${name}" SET "b"=? REMOVE "c" WHERE "pk"=? AND "sk"=? AND ${where}${returning}`,
      Parameters: [b, pk, sk, one],
    })),
)

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(put, old)
      .map(([one, ReturnValues]) => stepOf('PutItem', { ...one, ReturnValues })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(update, fc.constantFrom('NONE', 'ALL_NEW'))
      .map(([one, ReturnValues]) => stepOf('UpdateItem', { ...one, ReturnValues })),
  },
  fc
    .tuple(deletion, old)
    .map(([one, ReturnValues]) => stepOf('DeleteItem', { ...one, ReturnValues })),
  fc
    .tuple(key, projection)
    .map(([Key, ProjectionExpression]) => stepOf('GetItem', { Key, ProjectionExpression })),
  fc.uniqueArray(key, { minLength: 1, maxLength: 3 }).map((Keys) => ({
    operation: 'BatchGetItem',
    request: (name: string) => ({ RequestItems: { [name]: { Keys } } }),
  })),
  {
    weight: 3,
    arbitrary: fc.array(action, { minLength: 1, maxLength: 3 }).map((actions) => ({
      operation: 'TransactWriteItems',
      request: (TableName: string) => ({
        TransactItems: actions.map((each) =>
          Object.fromEntries(
            Object.entries(each).map(([kind, one]) => [kind, { ...one, TableName }]),
          ),
        ),
      }),
    })),
  },
  { weight: 3, arbitrary: query.map((one) => stepOf('Query', one)) },
  fc.array(statement, { minLength: 1, maxLength: 3 }).map((statements) => ({
    operation: 'BatchExecuteStatement',
    request: (name: string) => ({ Statements: statements.map((each) => each(name)) }),
  })),
)

function stepOf(operation: string, request: object): Step {
  return { operation, request: (TableName) => ({ ...request, TableName }) }
}
