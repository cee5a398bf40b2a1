export { dynamoDbReader, type DynamoDbReaderOptions } from './dynamoDbReader.ts'
export { dynamoDbStore, type DynamoDbStoreOptions } from './dynamoDbStore.ts'
export { tableDefinition, timeToLive } from './tableDefinition.ts'
export type { ScanPart, TableReader } from './dynamoDbReader.ts'
