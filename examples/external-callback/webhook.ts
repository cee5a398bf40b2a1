import { Logger } from '@aws-lambda-powertools/logger'
import type { Context } from 'aws-lambda'
import { type SignedRequest, verify } from '../provider-webhook/signature.ts'
import { Found, trip } from './handler.ts'

const logger = new Logger({ serviceName: 'trip' })

/** The same answer by a webhook that the airline signs. 202: it is on the queue, and no run waits for it yet. */
export async function webhook(event: SignedRequest, context: Context) {
  logger.addContext(context)
  const { body, refused } = verify(event, process.env['WEBHOOK_SECRETS'])
  if (body === undefined) {
    logger.warn('an answer was refused', { refused })
    return { statusCode: 401 }
  }
  const receipt = await trip.answer('found', Found.parse(JSON.parse(body)))
  return { statusCode: receipt === 'conflict' ? 409 : receipt === 'unknown' ? 202 : 200 }
}
