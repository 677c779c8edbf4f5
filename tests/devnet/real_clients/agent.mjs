// Drives the embedded network with the Internet Computer's own JavaScript agent, all of its verification on.
// Reads one JSON object on stdin: {url, rootKey, ledger, admin}; prints one JSON object of what it saw.
import { readFileSync } from 'node:fs';
import { HttpAgent, fetchCandid } from '@icp-sdk/core/agent';
import { Ed25519KeyIdentity, ECDSAKeyIdentity } from '@icp-sdk/core/identity';
import { Secp256k1KeyIdentity } from '@icp-sdk/core/identity/secp256k1';
import { Principal } from '@icp-sdk/core/principal';
import { IcrcLedgerCanister } from '@icp-sdk/canisters/ledger/icrc';

const given = JSON.parse(readFileSync(0, 'utf8'));
const seen = {};

const fund = async (owner, amount) => {
  const answer = await fetch(`${given.admin}/fund`, {
    method: 'POST',
    body: JSON.stringify({ account: owner.toText(), amount: amount.toString() }),
  });
  if (!answer.ok) throw new Error(await answer.text());
};

const rootKey = Uint8Array.from(Buffer.from(given.rootKey, 'hex'));
const identities = {
  ed25519: Ed25519KeyIdentity.generate(),
  secp256k1: Secp256k1KeyIdentity.generate(),
  p256: await ECDSAKeyIdentity.generate(),
};
const canisterId = Principal.fromText(given.ledger);
for (const [name, identity] of Object.entries(identities)) {
  const agent = await HttpAgent.create({ host: given.url, identity, rootKey, shouldSyncTime: true });
  const ledger = IcrcLedgerCanister.create({ agent, canisterId });
  const owner = identity.getPrincipal();
  await fund(owner, 1_000_000n);
  const to = { owner: Principal.fromText('aaaaa-aa'), subaccount: [new Uint8Array(32).fill(7)] };
  const request = { to, amount: 250_000n, fee: 10_000n, memo: new Uint8Array([1, 2]), created_at_time: BigInt(Date.now()) * 1_000_000n };
  const block = await ledger.transfer(request);
  let duplicateOf = null;
  try {
    await ledger.transfer(request);
  } catch (error) {
    duplicateOf = error.errorType?.Duplicate?.duplicate_of.toString() ?? String(error);
  }
  let trapped = null;
  try {
    await ledger.transfer({ ...request, memo: new Uint8Array(33) });
  } catch (error) {
    trapped = { code: error.code?.rejectCode, errorCode: error.code?.rejectErrorCode };
  }
  const blocks = await ledger.getBlocks({ args: [{ start: block, length: 1n }] });
  seen[name] = {
    block: block.toString(),
    duplicateOf,
    trapped,
    balance: (await ledger.balance({ owner })).toString(),
    certifiedBalance: (await ledger.balance({ owner, certified: true })).toString(),
    fee: (await ledger.transactionFee({})).toString(),
    blockId: blocks.blocks[0].id.toString(),
  };
}

const reader = await HttpAgent.create({ host: given.url, rootKey });
const ledger = IcrcLedgerCanister.create({ agent: reader, canisterId });
seen.metadata = (await ledger.metadata({})).map(([key, value]) => [key, String(Object.values(value)[0])]);
const { archived_blocks: archived } = await ledger.getBlocks({ args: [{ start: 0n, length: 100n }] });
seen.archived = archived.map(({ args, callback: [canister, method] }) => [
  canister.toText(),
  method,
  args.map(({ start, length }) => [start.toString(), length.toString()]),
]);
seen.candid = (await fetchCandid(given.ledger, reader)).includes('icrc1_transfer');
const fetched = await HttpAgent.create({ host: given.url, shouldFetchRootKey: true });
seen.rootKey = Buffer.from(fetched.rootKey).toString('hex');
console.log(JSON.stringify(seen));
