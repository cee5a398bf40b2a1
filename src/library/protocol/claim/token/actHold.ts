// @acts

import type { Hold } from '../hold.ts'
import { bytesOfNames } from '../room.ts'
import { nameOfEnd, type Token } from './token.ts'
import { endBy, tokenHold, type TokenHoldParts } from './tokenHold.ts'
import { endAct, giveUpAct } from './actWrites.ts'

/** The claim of an attempt that runs `onFailure`, on the token of the request that has died. */
export function actHold(parts: TokenHoldParts): Hold {
  const token = withMarksOfAct(parts.token)
  const { now, retention } = parts
  const ended = { ...parts, token }
  const hold = tokenHold(ended)
  return {
    ...hold,
    // Its death is reported also when the request is too old by now.
    notAfter: Infinity,
    // In SQL its effects are others than those of the request.
    fencing: { ...hold.fencing, request: `end ${nameOfEnd(token)}` },
    fields: { ...hold.fields, onFailure: nameOfEnd(token) },
    settle: () => endBy(endAct(token, now(), retention), ended),
    afterDeath: {
      reason: token.reason ?? 'exhausted',
      giveUp: (error) => endBy(giveUpAct(token, error, now()), ended),
    },
  }
}

/** With the marks and calls of this end alone: an effect of `onFailure` happens once for each. */
function withMarksOfAct(token: Token): Token {
  const { applied, calls, ending } = token
  const own = `${nameOfEnd(token)}:`
  const all = [...(ending?.applied ?? [])]
  const results = [...(ending?.calls ?? [])]
  const [mine, others] = [
    all.filter((name) => name.startsWith(own)),
    all.filter((name) => !name.startsWith(own)),
  ]
  return {
    ...token,
    applied: new Set(mine.map((name) => name.slice(own.length))),
    calls: new Map(
      results
        .filter(([name]) => name.startsWith(own))
        .map(([name, text]) => [name.slice(own.length), text]),
    ),
    bytesBeside: bytesOfNames(
      [...applied, ...others],
      [...calls, ...results.filter(([name]) => !name.startsWith(own))],
    ),
  }
}
