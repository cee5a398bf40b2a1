import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  dynamoDbStore,
  openStore,
  type DynamoDbStoreOptions,
} from '../../src/library/adapters/store/dynamodb/dynamoDbStore.ts'
import type { Lean } from '../../src/library/adapters/store/dynamodb/fast/leanCalls.ts'
import type { Place } from '../../src/library/adapters/store/dynamodb/fast/place.ts'
import type { Store } from '../../src/library/protocol/store/store.ts'
import { countRequests, intercept } from './seam.ts'
import { interceptWire, type WireResponse, textOf } from './wireSeam.ts'

/** One of the two ways in which the store calls DynamoDB, with what sees and changes its requests there. */
export interface Way {
  readonly name: string
  readonly isFast: boolean
  readonly open: (options: DynamoDbStoreOptions & { readonly client: DynamoDBClient }) => Store
  readonly intercept: typeof intercept
  /** The names of the requests that reach the engine, in their order. */
  readonly countRequests: (client: DynamoDBClient) => string[]
}

const throughTheSdk: Way = {
  name: 'through the SDK',
  isFast: false,
  open: dynamoDbStore,
  intercept,
  countRequests,
}

const withoutTheSdk: Way = {
  name: 'without the SDK',
  isFast: true,
  open: (options) => openStore(options, leanOver(options.client)),
  intercept: (client, _, react) => interceptWire(client, react),
  countRequests(client) {
    const requests: string[] = []
    interceptWire(client, ({ command, send }) => {
      requests.push(command)
      return send()
    })
    return requests
  },
}

export const WAYS = [throughTheSdk, withoutTheSdk]

const NOWHERE: Place = {
  protocol: 'https:',
  hostname: 'dynamodb.eu-west-1.amazonaws.com',
  port: undefined,
  host: 'dynamodb.eu-west-1.amazonaws.com',
  region: 'eu-west-1',
}

/** Calls without the SDK that leave by the client's own request handler, where faults are injected. */
export function leanOver({ config }: DynamoDBClient): Lean {
  return {
    place: NOWHERE,
    credentials: () => ({
      accessKeyId: 'local',
      secretAccessKey: 'local',
      sessionToken: undefined,
    }),
    async post(place, headers, body) {
      const own = await config.endpoint?.()
      const { protocol, hostname, port, path } = { path: '/', ...(own ?? place) }
      // A local engine answers to no other name.
      const to = own === undefined ? headers : { ...headers, host: `${hostname}:${port}` }
      const request = {
        method: 'POST',
        protocol,
        hostname,
        port,
        path,
        query: {},
        headers: to,
        body,
      }
      const { response } = (await config.requestHandler.handle(request as never, {})) as {
        response: WireResponse
      }
      return { status: response.statusCode, text: await textOf(response.body) }
    },
  }
}
