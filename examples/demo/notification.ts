/** What was sent: SNS puts what was published into a notification. */
export function sentBody(body: string): string {
  const outer: unknown = JSON.parse(body)
  if (typeof outer !== 'object' || outer === null) return body
  const { Type, Message } = outer as { readonly Type?: unknown; readonly Message?: unknown }
  return Type === 'Notification' && typeof Message === 'string' ? Message : body
}
