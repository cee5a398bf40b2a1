import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Stack } from 'aws-cdk-lib'
import type { APIGatewayProxyEvent, Context, SQSEvent } from 'aws-lambda'
import {
  defineFlow,
  type Lock,
  type LockTokens,
  type Logger,
  type OnceForever,
  type Producer,
  type RecordContext,
  type Store,
} from 'lineclear'
import type { ILineclearTable } from 'lineclear/cdk'
import type { Dev, LocalCloud, QueueHandler } from 'lineclear/local'
import type { PostgresTransaction } from 'lineclear/postgres'
import type { Kysely, Transaction } from 'kysely'
import type { Pool } from 'pg'
import { z } from 'zod'

/** What the examples of doc comments may mention without declaring it. Read by the compiler only, never run. */

export { CreateTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb'
export { expect } from 'vitest'
export { sql } from 'kysely'
export { Pool } from 'pg'
export { z } from 'zod'
export type { Transaction } from 'kysely'
export type { APIGatewayProxyEvent, APIGatewayProxyEventV2, Context, SQSEvent } from 'aws-lambda'

export const OrderPlaced = z.object({
  orderId: z.string(),
  placedAt: z.number(),
  sku: z.string(),
  quantity: z.number(),
  total: z.number(),
})
export type Order = z.infer<typeof OrderPlaced>
export const ParcelMoved = z.object({ parcelId: z.string(), place: z.string() })
/** A producer. */
export declare const orders: Producer<Order>
export const PaymentAnswer = z.object({ paymentId: z.string(), accepted: z.boolean() })

export declare const dev: Dev
export declare const cloud: LocalCloud
export declare const handler: QueueHandler
export declare const stack: Stack
export declare const table: ILineclearTable
export declare const store: Store
export declare const client: DynamoDBClient
export declare const pool: Pool
/** For `ctx.sql`. */
export declare const tx: PostgresTransaction & Pick<Transaction<Database>, 'getExecutor'>
export interface Database {
  readonly bookings: { readonly id: string }
}
export declare const db: Kysely<Database>
export declare const clients: { readonly sqs: SQSClient }
export declare const sns: SNSClient
export declare const logger: Logger
export declare const event: SQSEvent
export declare const lambda: Context
/** The same, by the name that handlers give it. */
export declare const context: Context

export declare const order: Order
export declare const rows: readonly Order[]
export declare const address: string
export declare const orderId: string
export declare const cartId: string
export declare const userId: string
export declare const paymentId: string
export declare const sku: string
export declare const movedAt: number
export declare const TableName: string
export declare const queueUrl: string
export declare const topicArn: string
export declare const error: unknown

/** Outside systems. */
export declare function charge(order: Order, key?: string): Promise<{ receiptId: string }>
export declare function findCharge(key: string): Promise<{ receiptId: string } | undefined>
export declare function requestPayment(order: Order): Promise<void>
export declare function work(payload: unknown, ctx: RecordContext): Promise<void>

export declare function createPayment(event: APIGatewayProxyEvent): Promise<{ statusCode: number }>
export declare function refundAtProvider(paymentId: string): Promise<{ receiptId: string }>
export declare function scan(key: string, size: number | undefined): Promise<{ clean: boolean }>
export declare function ship(order: Order): Promise<{ parcelId: string }>
export declare function sendWelcomeMail(userId: string): Promise<void>

/** Rows of an SQL database. */
export declare function bookings(
  sql: string,
  ...values: readonly Date[]
): Promise<readonly { order_id: string; booked_at: Date }[]>

/** Lock tokens, and keys that are taken once. */
export declare const refunds: LockTokens<{ receiptId: string }>
export declare const lock: Lock<{ receiptId: string }>
export declare const receipt: { receiptId: string }
export declare const welcomes: OnceForever
export declare const callbacks: OnceForever
export declare const callback: { transactionId: string; cents: number }

/** `ctx` of a record; of a stage; of the handler of an answer. */
export declare const ctx: RecordContext
export declare const stageContext: Parameters<
  Parameters<typeof checkout.stageHandler<'reserve'>>[1]
>[1]
export declare const answerContext: Parameters<
  Parameters<typeof checkout.answerHandler<'payment'>>[1]
>[1]

export const checkout = defineFlow({
  name: 'checkout',
  store,
  key: (payload) => payload.orderId,
  stages: {
    reserve: { schema: OrderPlaced },
    ship: { schema: OrderPlaced, queueUrl, final: true },
  },
  awaitingSteps: { payment: { schema: PaymentAnswer, id: (answer) => answer.paymentId, queueUrl } },
})
