/** Version of the contract: raised when a test finds that a schema moved. History in docs/decisions.md. */
export const CONTRACT_VERSION = 1
/** Version of the product, as health, engine.info and endpoint.json give it. */
export const LOOM_VERSION = '0.1.0'
