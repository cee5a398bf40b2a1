const MOST_SHOWN = 5

/** What an option admits, for errors. */
export function listed(admitted: readonly string[] | 'any' | undefined): string {
  if (admitted === undefined || admitted === 'any') return 'any'
  const more = admitted.length - MOST_SHOWN
  return admitted.slice(0, MOST_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
