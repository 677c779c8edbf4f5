// Allowances and the ICP ledger's own transfer, by the Internet Computer's own clients, all of their verification on.
// Reads one JSON object on stdin: {url, rootKey, ledger, admin, kind}; prints one JSON object of what it saw.
import { readFileSync } from 'node:fs';
import { HttpAgent } from '@icp-sdk/core/agent';
import { Ed25519KeyIdentity } from '@icp-sdk/core/identity';
import { Principal } from '@icp-sdk/core/principal';
import { AccountIdentifier, IcpLedgerCanister, TxTooOldError } from '@icp-sdk/canisters/ledger/icp';
import { IcrcLedgerCanister } from '@icp-sdk/canisters/ledger/icrc';

const given = JSON.parse(readFileSync(0, 'utf8'));
const rootKey = Uint8Array.from(Buffer.from(given.rootKey, 'hex'));
const canisterId = Principal.fromText(given.ledger);
const shop = Principal.fromText('aaaaa-aa');

const person = async () => {
  const identity = Ed25519KeyIdentity.generate();
  const agent = await HttpAgent.create({ host: given.url, identity, rootKey, shouldSyncTime: true });
  return { agent, principal: identity.getPrincipal() };
};

const fund = async (owner, amount) => {
  const answer = await fetch(`${given.admin}/fund`, {
    method: 'POST',
    body: JSON.stringify({ account: owner.toText(), amount: amount.toString() }),
  });
  if (!answer.ok) throw new Error(await answer.text());
};

const refusal = async (call) => {
  try {
    return await call();
  } catch (error) {
    return error;
  }
};

const seen = {};
const [owner, spender] = [await person(), await person()];
await fund(owner.principal, 1_000_000n);
const ofOwner = IcrcLedgerCanister.create({ agent: owner.agent, canisterId });
const ofSpender = IcrcLedgerCanister.create({ agent: spender.agent, canisterId });
const from = { owner: owner.principal, subaccount: [] };
const pair = { account: from, spender: { owner: spender.principal, subaccount: [] } };
const allowed = async () => {
  const { allowance, expires_at: expiresAt } = await ofOwner.allowance(pair);
  return [allowance.toString(), expiresAt.length];
};

seen.before = await allowed();
const expires_at = BigInt(Date.now() + 600_000) * 1_000_000n;
seen.approved = (await ofOwner.approve({ spender: pair.spender, amount: 300_000n, expires_at })).toString();
seen.given = await allowed();
const take = { from, to: { owner: shop, subaccount: [] }, amount: 100_000n };
seen.taken = (await ofSpender.transferFrom(take)).toString();
seen.left = await allowed();
const tooMuch = await refusal(() => ofSpender.transferFrom({ ...take, amount: 250_000n }));
seen.tooMuch = tooMuch.errorType.InsufficientAllowance.allowance.toString();
const changed = await refusal(() => ofOwner.approve({ spender: pair.spender, amount: 0n, expected_allowance: 300_000n }));
seen.changed = changed.errorType.AllowanceChanged.current_allowance.toString();
seen.shop = (await ofOwner.balance({ owner: shop })).toString();

if (given.kind === 'icp') {
  const icp = IcpLedgerCanister.create({ agent: owner.agent, canisterId });
  const to = AccountIdentifier.fromPrincipal({ principal: shop });
  const request = { to, amount: 50_000n, memo: 7n, fee: 10_000n, createdAt: BigInt(Date.now()) * 1_000_000n };
  const height = await icp.transfer(request);
  const again = await refusal(() => icp.transfer(request));
  const poor = await refusal(() => icp.transfer({ ...request, amount: 100_000_000n }));
  const fee = await refusal(() => icp.transfer({ ...request, fee: 1n }));
  const old = await refusal(() => icp.transfer({ ...request, createdAt: 1n }));
  seen.icp = {
    height: height.toString(),
    duplicateOf: again.duplicateOf?.toString(),
    balance: poor.balance?.toString(),
    expectedFee: fee.expectedFee?.toString(),
    tooOld: old instanceof TxTooOldError,
    certified: (await icp.accountBalance({ accountIdentifier: to.toHex(), certified: true })).toString(),
    toId: to.toHex(),
  };
}
console.log(JSON.stringify(seen));
