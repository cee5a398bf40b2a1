import type { Update } from '../../store/store.ts'
import type { MessageVerdict, TokenRequest } from './claimToken.ts'
import { reopen, takeOverToDeadLetter } from './claimWrites.ts'

/** The write for a verdict that only a message can get. */
export function writeOfMessage(
  verdict: MessageVerdict,
  request: TokenRequest,
  now: number,
): Update {
  return verdict.kind === 'reopen'
    ? reopen(verdict.token, request, now)
    : takeOverToDeadLetter(verdict.token, request, deathOf(verdict, request))
}

function deathOf(
  verdict: Extract<MessageVerdict, { readonly kind: 'deadLetter' }>,
  { refusal }: TokenRequest,
): { reason: string; error: string } {
  const { attempt, error } = verdict.token
  if (verdict.because === 'rejected' && refusal !== undefined) {
    return error === undefined
      ? refusal
      : { ...refusal, error: `${refusal.error}; the attempt before failed with ${error}` }
  }
  return {
    reason: 'exhausted',
    error:
      `the last of ${attempt} attempts ended without an answer (killed or timed out)` +
      (error === undefined ? '' : `; an earlier attempt failed with ${error}`),
  }
}
