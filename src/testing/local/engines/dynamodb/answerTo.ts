import { messageOf } from '../../../../base/errors.ts'
import type { openOperations } from './operations.ts'
import { readRequest } from './readRequest.ts'
import { Refusal } from './values/refusal.ts'

/** The answer to a request, as the protocol has it. */
export function answerTo(
  operation: string,
  text: string,
  operate: ReturnType<typeof openOperations>,
): { readonly status: number; readonly body: string } {
  try {
    return { status: 200, body: JSON.stringify(operate(operation, readRequest(operation, text))) }
  } catch (error) {
    if (error instanceof Refusal) return { status: 400, body: JSON.stringify(refused(error)) }
    const failed = new Refusal('InternalServerError', messageOf(error))
    return { status: 500, body: JSON.stringify(refused(failed)) }
  }
}

function refused({ code, message, fields }: Refusal): object {
  const member = code === 'TransactionCanceledException' ? 'Message' : 'message'
  return {
    __type: `${NAMESPACES[code] ?? 'com.amazonaws.dynamodb.v20120810'}#${code}`,
    [member]: message,
    ...fields,
  }
}

const NAMESPACES: Readonly<Record<string, string>> = {
  ValidationException: 'com.amazon.coral.validate',
  SerializationException: 'com.amazon.coral.service',
  UnknownOperationException: 'com.amazon.coral.service',
}
