/**
 * What DynamoDB takes, as AWS documents it: for the stores, for the fakes that stand in for DynamoDB, and for code
 * that splits a call. Sizes in bytes of UTF-8 unless named otherwise.
 * Where no other page is named: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */

/** At least 1 byte each: an empty text or empty bytes are no key. */
export const partitionKeyBytes = 2_048
export const sortKeyBytes = 1_024
/** Names and values, by the rules of `itemBytes`. */
export const itemBytes = 409_600
export const attributeNameBytes = 65_535
/** A key's own name. */
export const keyNameBytes = 255
/** Levels of maps and lists in one another, the value in the innermost one included. */
export const nesting = 32
/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html */
export const numberDigits = 38
/** The largest is 9.99…e125, the smallest above zero 1e-130: both as the power of ten of the first digit. */
export const numberLargestPower = 125
export const numberSmallestPower = -130
/** Distinct items: no two actions of one transaction on one item. */
export const transactionItems = 100
export const transactionBytes = 4_194_304
/** Milliseconds. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
export const requestTokenRemembered = 600_000
/** Distinct keys. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html */
export const batchGetKeys = 100
export const batchGetBytes = 16_777_216
/**
 * Each key once, all reads or all writes, no ARN and no other account's table.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchExecuteStatement.html
 */
export const batchStatements = 25
/** Characters. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchStatementRequest.html */
export const statementLength = 8_192
/** Each of the expressions of a call by itself. */
export const expressionBytes = 4_096
/** Operators and functions of one UpdateExpression. */
export const expressionOperators = 300
/** One `#name` or `:value`. */
export const placeholderBytes = 255
/** All ExpressionAttributeNames and ExpressionAttributeValues of a call. */
export const expressionParametersBytes = 2_097_152
/** Operands of one IN. */
export const inOperands = 100
