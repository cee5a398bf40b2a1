/** What a plan of many items, of a pause or of a sweep says beside the common fields, a line each. */
export function planLines(
  action: string,
  rest: Readonly<Record<string, unknown>>,
): readonly string[] {
  const notes = listOf(rest['notes']).map(textOf).filter(isSaid)
  return [...linesOf(action, rest), ...notes]
}

/** What to type is what the dialog does. */
function isSaid(note: string): boolean {
  return (
    note !== '' &&
    !note.startsWith(' ') &&
    !note.includes('--apply') &&
    !note.endsWith('To make the change:')
  )
}

function linesOf(action: string, rest: Readonly<Record<string, unknown>>): readonly string[] {
  if (action === 'pause' || action === 'resume') return mappingLines(rest)
  if (action === 'dlq restore') return restoreLines(rest)
  if (action === 'dlq redrive' || action === 'dlq discard') return letterLines(rest)
  const due = Object.entries(recordOf(rest['due']))
  return due.map(([status, count]) => `${String(count)} ${status}`)
}

/** Fields of `rest` that `planLines` tells: nothing of them has to be shown a second time. */
export function isTold(action: string): boolean {
  return ['pause', 'resume', 'dlq restore', 'dlq redrive', 'dlq discard', 'dlq edit'].includes(
    action,
  )
}

function mappingLines({ mappings }: Readonly<Record<string, unknown>>): readonly string[] {
  return listOf(mappings).map((each) => {
    const { kind, function: name, queue, because } = recordOf(each)
    const what = typeof kind === 'string' ? (KINDS[kind] ?? kind) : 'resume'
    return `${what}: ${lastOf(name)} on ${lastOf(queue)}${withComma(because)}`
  })
}

const KINDS: Readonly<Record<string, string>> = {
  pause: 'pause',
  change: 'pause again',
  leave: 'leave as it is',
  unsettled: 'wait: Lambda is changing it',
}

function restoreLines({
  kept,
  restored,
  refused,
}: Readonly<Record<string, unknown>>): readonly string[] {
  return counts([
    [
      restored === 0 || restored === undefined ? kept : 0,
      'kept in the table, and would be put back on the queue',
    ],
    [restored, 'put back on the queue'],
    [refused, 'not accepted: they stay in the table'],
  ])
}

function letterLines(rest: Readonly<Record<string, unknown>>): readonly string[] {
  const stays = recordOf(rest['stays'])
  const watched = recordOf(rest['watched'])
  const to = Object.entries(recordOf(rest['to']))
  const { planned, done = 0 } = rest
  return [
    ...(typeof planned === 'number' ? [`${String(done)} of ${planned} done`] : []),
    ...to.map(([url, count]) => `${String(count)} to ${lastOf(url)}`),
    ...listOf(rest['groups']).flatMap(groupLines),
    ...counts([
      [rest['moved'], 'sent'],
      [rest['archived'], 'taken off the queue, and kept in the table'],
      [rest['stamped'], 'carry no uniquerequestid: each is sent with its SQS message id'],
      [
        rest['unsure'],
        'name no consumer: where the table has no record of them any more, they come back as lost record',
      ],
      [rest['asNew'], 'are sent as new messages: the table has no record of what they have done'],
      [
        stays['noDestination'],
        'stay: their source queue is not known. Name a queue: redrive with options',
      ],
      [
        stays['unprovenSource'],
        'stay: they name a source queue that does not use this dead-letter queue. Look at them, then name a queue: redrive with options',
      ],
      [
        stays['otherSource'],
        'stay: they came from another queue than the one you named. Without a name each goes back to its own; lineclear dlq redrive --to QUEUE --force sends them there',
      ],
      [stays['tooLarge'], 'stay: with their identity they exceed the size of an SQS message'],
      [
        stays['lostRecord'],
        'stay: the table has no record of what they have done any more. Find that out; lineclear dlq redrive --force runs them as new messages',
      ],
      [stays['newer'], 'stay: they arrived after this run began'],
      [rest['notPlanned'] ?? stays['notPlanned'], 'stay: they arrived after the plan was made'],
      [rest['missing'], 'of the plan are not on the queue any more, or another reader holds them'],
      [rest['untried'], 'of the plan were not tried: they stay on the queue'],
      [rest['hidden'], 'are held by another reader, and were not seen'],
      [
        rest['withoutPayload'],
        'have their payload in another store, whose lifecycle rule may expire it',
      ],
      [watched['done'], 'of the first ones sent have completed'],
      [watched['over'], 'of the first ones sent had ended before: consumers drop them'],
      [watched['failed'], 'of the first ones sent have failed again'],
      [
        watched['unknown'],
        'of the first ones sent name no consumer, so what became of them is not known',
      ],
      [watched['open'], 'of the first ones sent have not ended yet'],
      [rest['refused'], `stay: their queue did not accept them (${textOf(rest['error'])})`],
      [
        rest['notRemoved'],
        'sent, but not removed: the next run sends them again, and consumers drop the duplicates',
      ],
    ]),
  ]
}

function groupLines(value: unknown): readonly string[] {
  const { planned, reason, origin, error, ids } = recordOf(value)
  if (typeof planned !== 'number' || planned === 0) return []
  const shown = listOf(ids).map(textOf)
  const more = planned > shown.length ? `, and ${planned - shown.length} more` : ''
  const said = textOf(error) === '' ? '' : `: ${textOf(error)}`
  return [`${planned} ${textOf(reason)} of ${textOf(origin)}${said}`, `${shown.join(', ')}${more}`]
}

function counts(given: readonly (readonly [count: unknown, text: string])[]): readonly string[] {
  return given.flatMap(([count, text]) =>
    typeof count === 'number' && count > 0 ? [`${count} ${text}`] : [],
  )
}

function lastOf(value: unknown): string {
  return textOf(value).split(/[:/]/).at(-1) ?? ''
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function withComma(value: unknown): string {
  return textOf(value) === '' ? '' : `, ${textOf(value)}`
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : {}
}
