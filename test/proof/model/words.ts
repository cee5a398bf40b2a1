import type { Update } from '../../../src/library/protocol/store/store.ts'

/** What a write on the token is for, in plain words. */
export function inWords(update: Update): string {
  const { set = {}, addTo } = update
  if (set['attemptId'] !== undefined) return claimInWords(update)
  if (addTo !== undefined) return `marks ${addTo.member} as applied`
  return endInWords(update) ?? stepInWords(update) ?? 'checks the claim'
}

function claimInWords({ set = {}, remove = [] }: Update): string {
  if (set['status'] === 'dying') return 'takes over, to bury'
  if (set['status'] === undefined) return `takes over as attempt ${set['attempt']}`
  return remove.includes('ttl') ? 'begins anew' : 'reopens'
}

function endInWords({ set = {}, remove = [] }: Update): string | undefined {
  if (set['status'] === 'dying') return 'marks the request as dying'
  if (set['status'] === 'ending') return 'ends the request'
  if (set['untold'] !== undefined && set['status'] !== undefined) return 'gives up telling'
  if (set['status'] !== undefined) return `buries, as ${set['status']}`
  if (remove.includes('status')) return 'completes'
  if (set['resendNumber'] !== undefined) return `writes resend ${set['resendNumber']}`
  if (set['confirmed'] === true) return 'confirms the resend'
  if (set['notBefore'] !== undefined) return 'writes when to come back'
  return set['attempt'] === undefined ? undefined : 'releases the claim'
}

function stepInWords({ set = {}, remove = [] }: Update): string | undefined {
  const name = [...Object.keys(set), ...remove].find((field) => field.startsWith('step:'))
  if (name === undefined) return undefined
  const stored = set[name]
  if (stored === undefined) return `forgets ${name}`
  return `stores ${stored === 'start' ? 'START' : 'the answer'} of ${name}`
}
