/** For the log, and for the dead letter if the schema refuses the body as it is. */
export function unlisted(what: string): string {
  return `It looks like ${what}. It was not opened. If it belongs here, add it there, deploy, and redrive its dead letter.`
}

const MOST_SHOWN = 5

/** What an option admits, for errors. */
export function listed(admitted: readonly string[] | 'any' | undefined): string {
  if (admitted === undefined || admitted === 'any') return 'any'
  const more = admitted.length - MOST_SHOWN
  return admitted.slice(0, MOST_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
