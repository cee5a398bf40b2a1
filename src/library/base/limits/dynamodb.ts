/**
 * Limits of DynamoDB, as AWS documents them: for the stores, for the fakes that replace DynamoDB in tests, and for code that
 * splits calls. Sizes are bytes of UTF-8 unless stated otherwise. Where no other page is named:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */

/** A key attribute has at least 1 byte: an empty text or empty bytes cannot be a key. */
export const partitionKeyBytes = 2_048
export const sortKeyBytes = 1_024
/** Names and values of an item, counted by the rules of `itemBytes`. */
export const itemBytes = 409_600
export const attributeNameBytes = 65_535
/** Levels of nested maps and lists, including the value in the innermost one. */
export const nesting = 32
/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html */
export const numberDigits = 38
/** The largest number is 9.99…e125, the smallest above zero 1e-130. Both limits are the power of ten of the first digit. */
export const numberLargestPower = 125
export const numberSmallestPower = -130
/** Distinct items: two actions of one transaction may not use the same item. */
export const transactionItems = 100
export const transactionBytes = 4_194_304
/** Milliseconds. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
export const requestTokenRemembered = 600_000
/** Distinct keys. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html */
export const batchGetKeys = 100
/**
 * Each key once, all reads or all writes, no ARN and no table of another account.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchExecuteStatement.html
 */
export const batchStatements = 25
/** Characters. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchStatementRequest.html */
export const statementLength = 8_192
/** Each expression of a call separately. */
export const expressionBytes = 4_096
/** All ExpressionAttributeNames and ExpressionAttributeValues of a call together. */
export const expressionParametersBytes = 2_097_152
/** Operands of one IN. */
export const inOperands = 100
