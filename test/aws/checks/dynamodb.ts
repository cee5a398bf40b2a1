import { setTimeout as sleep } from 'node:timers/promises'
import {
  BatchExecuteStatementCommand,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { leanCalls } from '../../../src/library/adapters/store/dynamodb/fast/leanCalls.ts'
import { post } from '../../../src/library/adapters/store/dynamodb/fast/post.ts'
import { systemClock } from '../../../src/library/base/clock.ts'
import type { Check } from './check.ts'
import type { Desk } from './desk.ts'

const API = 'https://docs.aws.amazon.com/amazondynamodb/latest/APIReference'
const GUIDE = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide'
const FAILURE = 'src/library/adapters/store/dynamodb/calls'
const STATEMENT = 'src/library/adapters/store/dynamodb/fast'

const keyOf = (pk: string) => ({ pk: { S: pk }, sk: { S: 'check' } })
const itemOf = (pk: string) => ({ ...keyOf(pk), n: { N: '1' } })

function put({ clients, table: TableName }: Desk, pk: string) {
  return clients.dynamodb.send(new PutItemCommand({ TableName, Item: itemOf(pk) }))
}

function absent(TableName: string, pk: string) {
  return {
    TableName,
    Item: itemOf(pk),
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }
}

interface Refused {
  readonly name: string
  readonly Item?: object
  readonly CancellationReasons?: readonly { readonly Code?: string; readonly Item?: object }[]
}

const withItem = (item: object | undefined): string => (item ? ' with its item' : '')

/** How it failed, with the reasons of a transaction. */
function refusalOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'accepted',
    ({ name, Item, CancellationReasons }: Refused) => {
      const reasons = CancellationReasons?.map((each) => `${each.Code}${withItem(each.Item)}`)
      return `${name}${withItem(Item)}${reasons ? ` (${reasons.join(', ')})` : ''}`
    },
  )
}

/** The codes of a batch of statements, in their order. */
async function codesOf(
  { clients }: Desk,
  statements: readonly { readonly Statement: string; readonly Parameters: { S: string }[] }[],
): Promise<string> {
  const Statements = statements.map((each) => ({
    ...each,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }))
  const { Responses = [] } = await clients.dynamodb.send(
    new BatchExecuteStatementCommand({ Statements }),
  )
  const codes = Responses.map(({ Error: error, Item }) =>
    error ? `${error.Code}${withItem(error.Item)}` : `made${withItem(Item)}`,
  )
  return codes.join(', ')
}

const WHERE = `WHERE "pk"=? AND "sk"='check'`

export const DYNAMODB_CHECKS: readonly Check[] = [
  {
    name: 'a put that its condition refuses',
    expected: 'ConditionalCheckFailedException with its item',
    source: `${API}/API_PutItem.html`,
    reliesOn: FAILURE,
    run: async (desk) => {
      await put(desk, 'put')
      return refusalOf(desk.clients.dynamodb.send(new PutItemCommand(absent(desk.table, 'put'))))
    },
  },
  {
    name: 'reasons of a cancelled transaction, in the order of its actions',
    expected: 'TransactionCanceledException (None, ConditionalCheckFailed with its item)',
    source: `${API}/API_CancellationReason.html`,
    reliesOn: 'src/library/adapters/store/dynamodb',
    run: async (desk) => {
      await put(desk, 'cancelled')
      const TransactItems = ['free', 'cancelled'].map((pk) => ({ Put: absent(desk.table, pk) }))
      const transaction = new TransactWriteItemsCommand({ TransactItems })
      return refusalOf(desk.clients.dynamodb.send(transaction))
    },
  },
  {
    name: 'writes that meet a transaction on their item',
    expected: 'only conflicts',
    source: `${GUIDE}/transaction-apis.html`,
    reliesOn: 'src/library/protocol/store',
    run: async (desk) => {
      const { clients, table: TableName } = desk
      const update = {
        TableName,
        Key: keyOf('met'),
        UpdateExpression: 'ADD n :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      }
      const all = Array.from({ length: 40 }, (_, nth) =>
        refusalOf(
          nth % 2 === 0
            ? clients.dynamodb.send(new UpdateItemCommand(update))
            : clients.dynamodb.send(
                new TransactWriteItemsCommand({ TransactItems: [{ Update: update }] }),
              ),
        ),
      )
      const others = (await Promise.all(all)).filter(
        (outcome) =>
          !/^(?:accepted|TransactionConflictException|TransactionCanceledException \(TransactionConflict\))$/.test(
            outcome,
          ),
      )
      return others.length === 0 ? 'only conflicts' : [...new Set(others)].join(', ')
    },
  },
  {
    name: 'a batch of statements, of which one is refused',
    expected: 'made with its item, ConditionalCheckFailed with its item',
    source: `${API}/API_BatchExecuteStatement.html`,
    reliesOn: STATEMENT,
    otherwise: {
      local: [
        'made with its item, ConditionalCheckFailed',
        'as dynoxide 1.2.1; the store reads the item then',
      ],
    },
    run: async (desk) => {
      await Promise.all([put(desk, 'first'), put(desk, 'second')])
      const statement = (pk: string, n: number) => ({
        Statement: `UPDATE "${desk.table}" SET "a"='1' SET "b"='2' REMOVE "c" REMOVE "d" ${WHERE} AND "n"=${n} RETURNING ALL NEW *`,
        Parameters: [{ S: pk }],
      })
      return codesOf(desk, [statement('first', 1), statement('second', 2)])
    },
  },
  {
    name: 'an insert of what is there, as a statement',
    expected: 'DuplicateItem',
    source: `${API}/API_BatchStatementError.html`,
    reliesOn: STATEMENT,
    run: async (desk) => {
      await put(desk, 'inserted')
      const Statement = `INSERT INTO "${desk.table}" VALUE {'pk':?,'sk':'check'}`
      return codesOf(desk, [{ Statement, Parameters: [{ S: 'inserted' }] }])
    },
  },
  {
    name: 'set_add to a set that is not there, in a statement',
    expected: 'made, {"SS":["x"]}',
    source: `${GUIDE}/ql-reference.update.html`,
    reliesOn: STATEMENT,
    otherwise: {
      local: [
        'ValidationError, undefined',
        'as dynoxide 1.2.1; the store makes such an update by UpdateItem then',
      ],
    },
    run: async (desk) => {
      await put(desk, 'set')
      const Statement = `UPDATE "${desk.table}" SET "s"=set_add("s", <<'x'>>) ${WHERE}`
      const code = await codesOf(desk, [{ Statement, Parameters: [{ S: 'set' }] }])
      const { Item } = await desk.clients.dynamodb.send(
        new GetItemCommand({ TableName: desk.table, Key: keyOf('set'), ConsistentRead: true }),
      )
      return `${code}, ${JSON.stringify(Item?.['s'])}`
    },
  },
  {
    name: 'OR in the condition of a statement',
    expected: 'made',
    source: `${GUIDE}/ql-operators.html`,
    reliesOn: STATEMENT,
    otherwise: {
      ministack: ['ValidationError', 'the store makes such an update by UpdateItem then'],
    },
    run: async (desk) => {
      await put(desk, 'or')
      const Statement = `UPDATE "${desk.table}" SET "a"='1' ${WHERE} AND ("n"=1 OR "n"=2)`
      return codesOf(desk, [{ Statement, Parameters: [{ S: 'or' }] }])
    },
  },
  {
    name: 'an item past its time to live is still read and compared',
    expected: 'ConditionalCheckFailedException with its item',
    source: `${GUIDE}/TTL.html`,
    reliesOn: 'src/library/protocol/claim/token',
    run: async ({ clients, table: TableName }) => {
      const Item = { ...itemOf('expired'), ttl: { N: String(Math.floor(Date.now() / 1_000) - 60) } }
      await clients.dynamodb.send(new PutItemCommand({ TableName, Item }))
      return refusalOf(clients.dynamodb.send(new PutItemCommand(absent(TableName, 'expired'))))
    },
  },
  {
    name: 'our own signature, and the answers that it gets without the SDK',
    expected: 'made, ConditionalCheckFailedException with its item',
    source:
      'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html',
    reliesOn: 'src/library/adapters/store/dynamodb/fast',
    run: async (desk) => {
      const call = await leanCallOf(desk)
      // Without an answer within its short time the SDK would be asked: that is seen on a busy machine.
      for (let tries = 1; ; tries += 1) {
        const put = absent(desk.table, `lean ${tries}`)
        const [made, refused] = [await refusalOf(call(put)), await refusalOf(call(put))]
        const isUnclean = `${made}${refused}`.includes('Error')
        if (!isUnclean || tries === TRIES) return `${made.replace('accepted', 'made')}, ${refused}`
        await sleep(REST_MS)
      }
    },
  },
]

/** As long as calls rest after an answer that was not clean, and a little more. */
const REST_MS = 1_100
/** On a busy machine the courses run beside it for so many seconds. */
const TRIES = 40

/** As a function calls: what the SDK would have to repeat fails here. */
async function leanCallOf({ clients: { dynamodb } }: Desk) {
  const { region, credentials, endpointProvider } = dynamodb.config
  const custom = await dynamodb.config.endpoint?.()
  const Region = await region()
  const url = custom ?? endpointProvider({ Region }).url
  const port = url.port ? Number(url.port) : undefined
  const place = {
    protocol: url.protocol === 'http:' ? ('http:' as const) : ('https:' as const),
    hostname: url.hostname,
    port,
    host: port === undefined ? url.hostname : `${url.hostname}:${port}`,
    region: Region,
  }
  const { accessKeyId, secretAccessKey, sessionToken } = await credentials()
  const lean = {
    place,
    credentials: () => ({ accessKeyId, secretAccessKey, sessionToken }),
    post,
  }
  const unclean = (): Promise<never> => Promise.reject(new Error('the SDK would have been asked'))
  const calls = leanCalls(lean, unclean, systemClock)
  return (input: ReturnType<typeof absent>) => calls('PutItem', input)
}
