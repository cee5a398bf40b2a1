/** What was published, when `body` is a notification of SNS, of this topic if one is given; else `body` itself. */
export function sentBody(body: string, topicArn?: string): string {
  const outer: unknown = JSON.parse(body)
  if (typeof outer !== 'object' || outer === null) return body
  const { Type, TopicArn, Message } = outer as Readonly<Record<string, unknown>>
  const opens = Type === 'Notification' && (topicArn === undefined || TopicArn === topicArn)
  return opens && typeof Message === 'string' ? Message : body
}
