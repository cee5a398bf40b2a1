import { attributeRows } from './attributeRows.ts'
import { carriedRows } from './carriedRows.ts'
import { envelopeRows } from './envelopeRows.ts'
import { eventRows } from './eventRows.ts'
import { answerRows, flowRows } from './flowRows.ts'
import { identityRows, timeRows } from './identityRows.ts'
import { payloadRows } from './payloadRows.ts'
import type { Row } from './row.ts'
import { awaitingRows, stageRows, tokenRows } from './storedRows.ts'

/** Every bad record, by what is wrong with it. */
export const TABLE: Readonly<Record<string, readonly Row[]>> = {
  'the envelope': envelopeRows,
  events: eventRows,
  attributes: attributeRows,
  identity: identityRows,
  times: timeRows,
  'the payload': payloadRows,
  'the attribute lineclear': carriedRows,
  'keys and runs': flowRows,
  answers: answerRows,
  'stored tokens': tokenRows,
  'stored stage records': stageRows,
  'stored steps': awaitingRows,
}
