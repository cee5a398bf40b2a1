import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, startTypeScript } from '../../../store/dynoxide.ts'
import { type Answer, send } from './call.ts'
import { tableInput } from './steps.ts'

let engine: Engine
beforeAll(async () => {
  engine = await startTypeScript()
})
afterAll(() => engine.stop())

let tables = 0
let TableName = ''
beforeEach(async () => {
  TableName = `items-${++tables}`
  await send(engine.endpoint, 'CreateTable', { ...tableInput, TableName })
})

const call = (operation: string, request: object): Promise<Answer> =>
  send(engine.endpoint, operation, { TableName, ...request })

const KEY = { pk: { S: 'p' }, sk: { N: '1' } }
const VALUE = { ':v': { S: 'x' } }

function update(
  UpdateExpression: string,
  ExpressionAttributeValues?: object,
  more?: object,
): object {
  return { Key: KEY, UpdateExpression, ExpressionAttributeValues, ...more }
}

function when(ConditionExpression: string, ExpressionAttributeValues?: object): object {
  return { Item: KEY, ConditionExpression, ExpressionAttributeValues }
}

/** In DynamoDB's own words: programs look for them, and so do we. */
const REFUSED: readonly (readonly [operation: string, request: object, message: string])[] = [
  ['GetItem', { Key: { pk: KEY.pk } }, 'The provided key element does not match the schema'],
  [
    'GetItem',
    {},
    "1 validation error detected: Value null at 'key' failed to satisfy constraint: Member must not be null",
  ],
  [
    'PutItem',
    { Item: { pk: KEY.pk } },
    'One or more parameter values were invalid: Missing the key sk in the item',
  ],
  [
    'PutItem',
    { Item: { ...KEY, pk: { N: '1' } } },
    'One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N',
  ],
  [
    'PutItem',
    { Item: { ...KEY, g: { N: '1' } } },
    'One or more parameter values were invalid: Type mismatch for Index Key g Expected: S Actual: N IndexName: byGroup',
  ],
  [
    'PutItem',
    { Item: { ...KEY, pk: { S: '' } } },
    'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk',
  ],
  [
    'PutItem',
    { Item: { ...KEY, g: { S: '' } } },
    'One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: byGroup, IndexKey: g',
  ],
  [
    'PutItem',
    { Item: { ...KEY, pk: { S: 'x'.repeat(2_049) } } },
    'One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes',
  ],
  [
    'PutItem',
    { Item: { ...KEY, x: { S: 'x'.repeat(409_600) } } },
    'Item size has exceeded the maximum allowed size',
  ],
  [
    'PutItem',
    { Item: { ...KEY, x: { N: '1'.repeat(39) } } },
    'Attempting to store more than 38 significant digits in a Number',
  ],
  [
    'PutItem',
    { Item: { ...KEY, x: { N: '1e126' } } },
    'Number overflow. Attempting to store a number with magnitude larger than supported range',
  ],
  [
    'PutItem',
    { Item: { ...KEY, x: { N: '1e-131' } } },
    'Number underflow. Attempting to store a number with magnitude smaller than supported range',
  ],
  [
    'PutItem',
    { Item: { ...KEY, x: { N: 'one' } } },
    'The parameter cannot be converted to a numeric value: one',
  ],
  [
    'PutItem',
    { Item: { ...KEY, x: { SS: [] } } },
    'One or more parameter values were invalid: An string set  may not be empty',
  ],
  [
    'PutItem',
    { Item: { ...KEY, x: { NS: ['1', '1.0'] } } },
    'One or more parameter values were invalid: Input collection [1, 1.0] contains duplicates.',
  ],
  [
    'PutItem',
    { Item: { ...KEY, x: {} } },
    'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
  ],
  [
    'PutItem',
    { Item: { ...KEY, x: { S: 'a', N: '1' } } },
    'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
  ],
  [
    'PutItem',
    { Item: KEY, ReturnValues: 'ALL_NEW' },
    '1 validation error detected: ReturnValues can only be ALL_OLD or NONE',
  ],
  ['PutItem', { Item: KEY, Expected: {} }, 'Expected is not known here: use expressions'],
  ['PutItem', when('a = '), 'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "="'],
  [
    'PutItem',
    when('a € :v', VALUE),
    'Invalid ConditionExpression: Syntax error; token: "€", near: "a € :v"',
  ],
  ['PutItem', when(''), 'Invalid ConditionExpression: The expression can not be empty;'],
  [
    'PutItem',
    when('a = :v'),
    'An expression attribute value used in expression is not defined; attribute value: :v',
  ],
  [
    'PutItem',
    when('#a = :v', VALUE),
    'An expression attribute name used in the document path is not defined; attribute name: #a',
  ],
  [
    'PutItem',
    when('attribute_exists(a)', VALUE),
    'Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}',
  ],
  [
    'PutItem',
    { Item: KEY, ExpressionAttributeNames: { '#a': 'a' } },
    'ExpressionAttributeNames can only be specified when using expressions',
  ],
  [
    'PutItem',
    when('((attribute_exists(a)))'),
    'Invalid ConditionExpression: The expression has redundant parentheses;',
  ],
  [
    'PutItem',
    when('a < :v', { ':v': { BOOL: true } }),
    'Invalid ConditionExpression: Incorrect operand type for operator or function; operator: <, operand type: BOOL',
  ],
  [
    'PutItem',
    when('a BETWEEN :v AND :w', { ':v': { N: '5' }, ':w': { N: '2' } }),
    'Invalid ConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:5}, upper bound operand: AttributeValue: {N:2}',
  ],
  [
    'PutItem',
    when('a = :v AND '.repeat(400) + 'a = :v', VALUE),
    'Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; expression size: 4406',
  ],
  [
    'UpdateItem',
    update('SET status = :v', VALUE),
    'Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: status',
  ],
  [
    'UpdateItem',
    update('SET a = :v SET b = :v', VALUE),
    'Invalid UpdateExpression: The "SET" section can only be used once in an update expression;',
  ],
  [
    'UpdateItem',
    update('SET a.b = :v REMOVE a', VALUE),
    'Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a]',
  ],
  [
    'UpdateItem',
    update('SET a = :v REMOVE a', VALUE),
    'Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a]',
  ],
  [
    'UpdateItem',
    update('SET pk = :v', VALUE),
    'One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key',
  ],
  [
    'UpdateItem',
    update('SET a = b'),
    'The provided expression refers to an attribute that does not exist in the item',
  ],
  [
    'UpdateItem',
    update('SET a.b = :v', VALUE),
    'The document path provided in the update expression is invalid for update',
  ],
  [
    'UpdateItem',
    update('SET a = sk + :v', VALUE),
    'Invalid UpdateExpression: Incorrect operand type for operator or function; operator or function: +, operand type: S',
  ],
  [
    'UpdateItem',
    update('ADD a :v', VALUE),
    'Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ADD, operand type: S',
  ],
  [
    'Query',
    { KeyConditionExpression: 'sk = :v', ExpressionAttributeValues: { ':v': { N: '1' } } },
    'Query condition missed key schema element: pk',
  ],
  [
    'Query',
    { KeyConditionExpression: 'pk > :v', ExpressionAttributeValues: VALUE },
    'Query key condition not supported',
  ],
  [
    'Query',
    { KeyConditionExpression: 'pk = :v AND a = :v', ExpressionAttributeValues: VALUE },
    'Query condition missed key schema element: sk',
  ],
  [
    'Query',
    {
      KeyConditionExpression: 'pk = :v',
      FilterExpression: 'sk = :v',
      ExpressionAttributeValues: VALUE,
    },
    'Filter Expression can only contain non-primary key attributes: Primary key attribute: sk',
  ],
  [
    'Query',
    { IndexName: 'none', KeyConditionExpression: 'pk = :v', ExpressionAttributeValues: VALUE },
    'The table does not have the specified index: none',
  ],
  [
    'Query',
    {
      IndexName: 'byGroup',
      ConsistentRead: true,
      KeyConditionExpression: 'g = :v',
      ExpressionAttributeValues: VALUE,
    },
    'Consistent reads are not supported on global secondary indexes',
  ],
  [
    'Scan',
    { Segment: 2, TotalSegments: 2 },
    'The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 2 is not less than TotalSegments: 2',
  ],
  [
    'TransactWriteItems',
    { TransactItems: [] },
    "1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
  ],
]

it.each(REFUSED)('%s of %j is refused', async (operation, request, message) => {
  const answer = await call(operation, request)
  expect(answer).toEqual({
    status: 400,
    __type: 'com.amazon.coral.validate#ValidationException',
    message,
  })
})

it('what is not there is named as DynamoDB does', async () => {
  const named = async (operation: string, request: object) => {
    const { __type: type } = await call(operation, request)
    return String(type).split('#').at(-1)
  }
  expect(await named('GetItem', { TableName: 'none', Key: KEY })).toBe('ResourceNotFoundException')
  expect(await named('CreateTable', tableInput)).toBe('ResourceInUseException')
  expect(await named('DescribeContinuousBackups', {})).toBe('UnknownOperationException')
  const broken = await fetch(engine.endpoint, { method: 'POST', body: '{' })
  expect(await broken.text()).toContain('SerializationException')
})

it('half a character is no text', async () => {
  const answer = await call('PutItem', { Item: { ...KEY, a: { S: '\uD800' } } })
  expect(answer['__type']).toContain('SerializationException')
})

describe('an update', () => {
  const changed = async (item: object, ...request: Parameters<typeof update>) => {
    await call('PutItem', { Item: { ...KEY, ...item } })
    const answer = await call('UpdateItem', { ...update(...request), ReturnValues: 'ALL_NEW' })
    const { pk: _, sk: __, ...more } = answer['Attributes'] as Record<string, unknown>
    return more
  }

  it('reads every value of the item as it was', async () => {
    const values = { ':v': { N: '1' } }
    const after = await changed({ a: { N: '1' }, b: { N: '5' } }, 'SET a = b + :v, b = a', values)
    expect(after).toEqual({ a: { N: '6' }, b: { N: '1' } })
  })

  it('puts what lies behind the end of a list at its end, and removes places as they were', async () => {
    const list = { L: [{ S: '0' }, { S: '1' }, { S: '2' }] }
    const appended = await changed({ l: list }, 'SET l[7] = :v', VALUE)
    expect(appended).toEqual({ l: { L: [...list.L, { S: 'x' }] } })
    expect(await changed({ l: list }, 'REMOVE l[0], l[1]')).toEqual({ l: { L: [{ S: '2' }] } })
  })

  it('adds exactly, and returns no exponent', async () => {
    const values = { ':v': { N: '0.2' }, ':w': { N: '1E+20' } }
    const item = { a: { N: '0.1' }, b: { N: '9007199254740993' } }
    const after = await changed(item, 'ADD a :v, b :w', values)
    expect(after).toEqual({ a: { N: '0.3' }, b: { N: '100009007199254740993' } })
  })

  it('removes a set with its last member', async () => {
    expect(await changed({ s: { SS: ['x'] } }, 'DELETE s :v', { ':v': { SS: ['x'] } })).toEqual({})
  })

  it('shows what it has changed, before or after', async () => {
    const item = {
      ...KEY,
      a: { S: 'old' },
      m: { M: { x: { S: 'old' }, y: { S: 'y' } } },
      n: { N: '1' },
    }
    const parts = async (ReturnValues: string) => {
      await call('PutItem', { Item: item })
      const change = update('SET a = :v, m.x = :v REMOVE n', VALUE, { ReturnValues })
      return (await call('UpdateItem', change))['Attributes']
    }
    const x = { S: 'x' }
    expect(await parts('UPDATED_NEW')).toEqual({ a: x, m: { M: { x } } })
    const { a, n } = item
    expect(await parts('UPDATED_OLD')).toEqual({ a, n, m: { M: { x: { S: 'old' } } } })
  })

  it('shows nothing of an item that was not there', async () => {
    const made = await call('UpdateItem', update('SET a = :v', VALUE, { ReturnValues: 'ALL_OLD' }))
    expect(made).toEqual({ status: 200 })
  })
})

describe.each(['toString', 'valueOf', '__proto__'])('an attribute called %s', (name) => {
  it('is one like any other', async () => {
    const there = { [name]: VALUE[':v'] }
    const alias = { ExpressionAttributeNames: { '#name': name } }
    const written = await call(
      'UpdateItem',
      update('SET #name = :v', VALUE, { ReturnValues: 'ALL_NEW', ...alias }),
    )
    expect(JSON.stringify(written['Attributes'])).toContain(JSON.stringify(there).slice(1, -1))
    const condition = { ...when('#name = :v', VALUE), ...alias }
    expect((await call('PutItem', condition)).status).toBe(200)
    const Statement = `UPDATE "${TableName}" SET "${name}" = ? WHERE "pk" = ? AND "sk" = ?`
    await call('ExecuteStatement', { Statement, Parameters: [VALUE[':v'], KEY.pk, KEY.sk] })
    const { Item } = await call('GetItem', { Key: KEY, ProjectionExpression: '#name', ...alias })
    expect(Object.entries(Item as object)).toEqual([[name, VALUE[':v']]])
  })

  it('is no comparison and no function', async () => {
    for (const wrong of [`pk ${name} :v`, `${name}(pk, :v)`]) {
      const { __type } = await call('PutItem', when(wrong, VALUE))
      expect(__type).toContain('ValidationException')
    }
  })
})

describe('a transaction', () => {
  it('is made once for its token, and refused with other parameters', async () => {
    const add = (n: string) => ({
      ClientRequestToken: `once-${TableName}`,
      TransactItems: [{ Update: { TableName, ...update('ADD a :n', { ':n': { N: n } }) } }],
    })
    for (let times = 0; times < 2; times++) {
      expect(await call('TransactWriteItems', add('1'))).toEqual({ status: 200 })
    }
    const { Item } = (await call('GetItem', { Key: KEY })) as { Item?: object }
    expect(Item).toEqual({ ...KEY, a: { N: '1' } })
    expect((await call('TransactWriteItems', add('2')))['__type']).toMatch(/Mismatch/)
  })

  it.each(['ConditionCheck', 'Update'])('needs the expression of an action: %s', async (action) => {
    const answer = await call('TransactWriteItems', {
      TransactItems: [{ [action]: { TableName, Key: KEY } }],
    })
    expect(answer['__type']).toContain('ValidationException')
  })

  it('says for each action why it was cancelled, and writes none', async () => {
    await call('PutItem', { Item: KEY })
    const other = { ...KEY, sk: { N: '2' } }
    const show = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }
    const answer = await call('TransactWriteItems', {
      TransactItems: [
        { Put: { TableName, Item: other } },
        { Delete: { TableName, Key: KEY, ConditionExpression: 'attribute_exists(a)', ...show } },
        { Update: { TableName, ...update('SET a = b'), Key: { ...KEY, sk: { N: '3' } } } },
      ],
    })
    expect(answer).toMatchObject({
      status: 400,
      Message:
        'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed, ValidationError]',
      CancellationReasons: [
        { Code: 'None' },
        { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed', Item: KEY },
        { Code: 'ValidationError' },
      ],
    })
    expect(await call('GetItem', { Key: other })).toEqual({ status: 200 })
  })
})

describe('pages', () => {
  it('end after 1 MB, and go on behind an item that is gone', async () => {
    const big = { S: 'x'.repeat(300_000) }
    for (let nth = 0; nth < 8; nth++) {
      await call('PutItem', { Item: { ...KEY, sk: { N: String(nth) }, big } })
    }
    const read = async (ScanIndexForward: boolean): Promise<readonly unknown[]> => {
      const found: unknown[] = []
      let ExclusiveStartKey: unknown
      do {
        const page = await call('Query', {
          KeyConditionExpression: 'pk = :v',
          ExpressionAttributeValues: { ':v': KEY.pk },
          ProjectionExpression: 'sk',
          ScanIndexForward,
          ExclusiveStartKey,
        })
        found.push((page['Items'] as { sk: { N: string } }[]).map(({ sk }) => Number(sk.N)))
        ExclusiveStartKey = page['LastEvaluatedKey']
        if (ExclusiveStartKey) await call('DeleteItem', { Key: ExclusiveStartKey })
      } while (ExclusiveStartKey !== undefined)
      return found
    }
    expect(await read(true)).toEqual([
      [0, 1, 2],
      [3, 4, 5],
      [6, 7],
    ])
    expect(await read(false)).toEqual([
      [7, 6, 4],
      [3, 1, 0],
    ])
  })

  it('of all segments together are the table', async () => {
    for (let nth = 0; nth < 50; nth++) {
      await call('PutItem', { Item: { pk: { S: `p${nth}` }, sk: { N: '1' } } })
    }
    const found: string[] = []
    for (const Segment of [0, 1, 2]) {
      let ExclusiveStartKey: unknown
      do {
        const page = await call('Scan', { Segment, TotalSegments: 3, Limit: 4, ExclusiveStartKey })
        found.push(...(page['Items'] as { pk: { S: string } }[]).map(({ pk }) => pk.S))
        ExclusiveStartKey = page['LastEvaluatedKey']
      } while (ExclusiveStartKey !== undefined)
    }
    expect(found.toSorted()).toEqual(Array.from({ length: 50 }, (_, nth) => `p${nth}`).toSorted())
    expect(found).not.toEqual(found.toSorted())
  })

  it('of a sparse index hold its attributes only, in the order of its key', async () => {
    const put = (sk: string, more: object) =>
      call('PutItem', { Item: { ...KEY, sk: { N: sk }, ...more } })
    await put('1', { g: { S: 'g' }, n: { N: '10' }, a: { S: 'a' }, b: { S: 'b' } })
    await put('2', { g: { S: 'g' }, n: { N: '9' } })
    await put('3', { g: { S: 'g' } })
    const page = await call('Query', {
      IndexName: 'byGroup',
      KeyConditionExpression: 'g = :v',
      ExpressionAttributeValues: { ':v': { S: 'g' } },
    })
    expect(page['Items']).toEqual([
      { ...KEY, sk: { N: '2' }, g: { S: 'g' }, n: { N: '9' } },
      { ...KEY, g: { S: 'g' }, n: { N: '10' }, a: { S: 'a' } },
    ])
  })
})
