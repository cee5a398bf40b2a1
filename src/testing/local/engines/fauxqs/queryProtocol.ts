import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Handler, RefusalOf } from './handlers.ts'

const FORM = 'application/x-www-form-urlencoded'

/**
 * Requests of the query protocol may be GET; fauxqs takes them for requests to S3, and answers with a list of buckets:
 * docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-making-api-requests-xml.html
 */
export function queriesAsForms(server: Server): void {
  server.prependListener('request', (request: IncomingMessage) => {
    const form = request.method === 'GET' ? queryOf(request.url) : undefined
    if (form === undefined) return
    const body = Buffer.from(form)
    Object.assign(request, { method: 'POST', url: '/' })
    Object.assign(request.headers, { 'content-type': FORM, 'content-length': String(body.length) })
    request.push(body)
  })
}

function queryOf(url = ''): string | undefined {
  const { pathname, search, searchParams } = new URL(url, 'http://127.0.0.1')
  return pathname === '/' && searchParams.has('Action') ? search.slice(1) : undefined
}

/** The codes of an error in fauxqs: of the JSON protocol, and of the query protocol. */
interface RefusedByQueue extends Error {
  readonly code?: string
  readonly queryCode?: string
}

/**
 * SendMessage in the query protocol, which fauxqs 2.4.1 has for SNS alone:
 * docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
export function sendByForm(send: Handler, refusal: RefusalOf): Handler {
  return (form, _topics, queues) => {
    try {
      return toXml(send(readForm(form), queues as object) as Readonly<Record<string, string>>)
    } catch (error) {
      const { code, queryCode, message } = error as RefusedByQueue
      if (code === undefined || queryCode === undefined) throw error
      throw refusal(code === queryCode ? code : `AWS.SimpleQueueService.${queryCode}`, message)
    }
  }
}

function toXml(answer: Readonly<Record<string, string>>): string {
  const members = Object.entries(answer).map(([name, value]) => `<${name}>${value}</${name}>`)
  return [
    '<SendMessageResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/">',
    `<SendMessageResult>${members.join('')}</SendMessageResult>`,
    `<ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata>`,
    '</SendMessageResponse>',
  ].join('')
}

type Form = Readonly<Record<string, unknown>>

function readForm(form: Form): Form {
  const { DelaySeconds, ...others } = form
  return {
    ...others,
    ...(DelaySeconds !== undefined && { DelaySeconds: Number(DelaySeconds) }),
    MessageAttributes: attributesIn(form, 'MessageAttribute'),
    MessageSystemAttributes: attributesIn(form, 'MessageSystemAttribute'),
  }
}

/** `MessageAttribute.1.Name` names the attribute whose parts are `MessageAttribute.1.Value.DataType` and the like. */
function attributesIn(form: Form, list: string): Readonly<Record<string, object>> {
  const names = Object.entries(form).flatMap(([member, name]) => {
    const [, nth] = new RegExp(`^${list}\\.(\\d+)\\.Name$`).exec(member) ?? []
    return nth === undefined ? [] : [[`${list}.${nth}.Value.`, String(name)] as const]
  })
  return Object.fromEntries(
    names.map(([prefix, name]) => {
      const parts = Object.entries(form).filter(([member]) => member.startsWith(prefix))
      return [name, Object.fromEntries(parts.map(([part, v]) => [part.slice(prefix.length), v]))]
    }),
  )
}
