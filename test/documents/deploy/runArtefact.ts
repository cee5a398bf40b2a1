// Stands for Lambda's runtime: one event on standard input, the answer on standard output.
import { text } from 'node:stream/consumers'
import type { Context, SQSEvent } from 'aws-lambda'

type Handler = (event: SQSEvent, context: Partial<Context>) => Promise<unknown>

const [file = '', name = ''] = process.argv.slice(2)
const bundle = (await import(file)) as Record<string, Handler>
const event = JSON.parse(await text(process.stdin)) as SQSEvent
const context = {
  getRemainingTimeInMillis: () => 20_000,
  awsRequestId: crypto.randomUUID(),
}
const answer = await bundle[name]?.(event, context)
console.log(`\nANSWER ${JSON.stringify(answer)}`)
process.exit()
