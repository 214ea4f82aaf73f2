"""Makes /sys trees of fabric adapters and devices, laid out as the kernel lays them out."""
import os


def write(root, path, text):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as file:
        file.write(str(text) + "\n")


def link(root, path, target):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    os.makedirs(os.path.join(root, target), exist_ok=True)
    os.symlink(os.path.relpath(os.path.join(root, target), os.path.dirname(full)), full)


def adapter(root, name, address, driver, numa=0, firmware="20.31.1014", board="MT_0000000223"):
    """An adapter behind a PCI address; returns the folder of its class entry."""
    pci = f"devices/pci0000:3a/{address}"
    link(root, f"class/infiniband/{name}", f"{pci}/infiniband/{name}")
    if driver:
        link(root, f"{pci}/driver", f"bus/pci/drivers/{driver}")
    write(root, f"{pci}/numa_node", numa)
    base = f"{pci}/infiniband/{name}"
    link(root, f"{base}/device", pci)
    write(root, f"{base}/fw_ver", firmware)
    write(root, f"{base}/board_id", board)
    write(root, f"{base}/node_guid", "b859:9f03:00aa:bbcc")
    return base


def port(root, base, number=1, layer="InfiniBand", state="4: ACTIVE", rate="100 Gb/sec (4X EDR)", counters=None,
         hw_counters=None, gids=()):
    folder = f"{base}/ports/{number}"
    write(root, f"{folder}/link_layer", layer)
    write(root, f"{folder}/state", state)
    write(root, f"{folder}/phys_state", "5: LinkUp")
    write(root, f"{folder}/rate", rate)
    for position, (gid, kind, netdev) in enumerate(gids):
        write(root, f"{folder}/gids/{position}", gid)
        if netdev:
            write(root, f"{folder}/gid_attrs/types/{position}", kind)
            write(root, f"{folder}/gid_attrs/ndevs/{position}", netdev)
    for kind, values in (("counters", counters), ("hw_counters", hw_counters)):
        for name, value in (values or {}).items():
            write(root, f"{folder}/{kind}/{name}", value)
    return folder


NULL_GID = "0000:0000:0000:0000:0000:0000:0000:0000"
PORT_COUNTERS = {
    "port_xmit_data": 1000, "port_rcv_data": 2000, "port_xmit_packets": 10, "port_rcv_packets": 20,
    "unicast_xmit_packets": 9, "unicast_rcv_packets": 19, "multicast_xmit_packets": 1, "multicast_rcv_packets": 1,
    "port_rcv_errors": 3, "symbol_error": 65535, "link_downed": 1, "port_xmit_discards": 7,
    "local_link_integrity_errors": 0, "port_rcv_switch_relay_errors": "N/A (no PMA)", "VL15_dropped": 0,
}


def fabric(root):
    """Six drivers: mlx5 (InfiniBand and RoCE), bnxt_re, EFA, irdma, hfi1 and an unknown one."""
    base = adapter(root, "mlx5_0", "0000:3b:00.0", "mlx5_core")
    port(root, base, counters=PORT_COUNTERS, gids=[("fe80:0000:0000:0000:b859:9f03:00aa:bbcc", "", "")],
         hw_counters={"lifespan": 10, "out_of_sequence": 5, "req_transport_retries_exceeded": 1, "np_cnp_sent": 4})
    base = adapter(root, "mlx5_1", "0000:3b:00.1", "mlx5_core", numa=1)
    port(root, base, layer="Ethernet", counters=PORT_COUNTERS, hw_counters={"lifespan": 10, "out_of_buffer": 2},
         gids=[("fe80:0000:0000:0000:ba59:9fff:fe03:ccbc", "IB/RoCE v1", "ens1np0"), (NULL_GID, "", ""),
               ("0000:0000:0000:0000:0000:ffff:0a00:0001", "RoCE v2", "ens1np0")])
    base = adapter(root, "bnxt_re0", "0000:5e:00.0", "bnxt_en", board="")
    port(root, base, layer="Ethernet", rate="100 Gb/sec (4X EDR)",
         hw_counters={"lifespan": 10, "active_qps": 3, "rx_pkts": 11, "rx_bytes": 1100, "to_retransmits": 2,
                      "seq_err_naks_rcvd": 1})  # no counters/ at all
    base = adapter(root, "rdmap0s6", "0000:00:06.0", "efa", numa=-1)
    port(root, base, layer="Unspecified", hw_counters={"lifespan": 12, "rx_bytes": 500, "tx_bytes": 600, "rx_drops": 1,
                                                       "rdma_read_bytes": 70})
    for name, value in {"lifespan": 12, "submitted_cmds": 40, "completed_cmds": 39, "cmds_err": 1}.items():
        write(root, f"{base}/hw_counters/{name}", value)
    base = adapter(root, "irdma0", "0000:af:00.0", "irdma")
    port(root, base, layer="Ethernet", hw_counters={"ip4InDiscards": 1, "ip4OutOctets": 99, "bad": "not a number",
                                                    "RxOOO": -4, "empty": ""})
    base = adapter(root, "hfi1_0", "0000:d8:00.0", "hfi1", firmware="1.27.0")
    port(root, base, rate="100 Gb/sec (4X EDR)", counters={"link_downed": 2, "port_xmit_wait": 8, "symbol_error": 0},
         hw_counters={"RcvHdrOvr0": 6, "RcTimeOut": 1})
    base = adapter(root, "rocep9", "0000:e1:00.0", "")
    port(root, base, layer="Ethernet", rate="strange", state="strange", hw_counters={"odd-name": 1, "odd_name": 2, ".hidden": 3})
    port(root, base, number=2, layer="Ethernet", state="1: DOWN")
    return root


def cards(root, count):
    """As many cards of one kind; returns `root`."""
    for n in range(count):
        pci = f"devices/pci0000:40/0000:{0x41 + n:x}:00.0"
        link(root, f"class/drm/card{n}/device", pci)
        write(root, f"{pci}/vendor", "0x1002")
        write(root, f"{pci}/unique_id", f"{n:016x}")
        write(root, f"{pci}/mem_info_vram_total", 64 << 30)
        write(root, f"{pci}/mem_info_vram_used", n << 30)
    return root


if __name__ == "__main__":
    import sys
    fabric(sys.argv[1])
